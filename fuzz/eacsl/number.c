/* number.c: numbers for GMP. Apart from run.c, as the header of E-ACSL has declarations of GMP of its own. */
#include <gmp.h>

void *eacsl_number(unsigned long value);

/* A number where E-ACSL forgot to make one. More than two are never used at once. */
void *eacsl_number(unsigned long value)
{
    static mpz_t pool[16];
    static unsigned next;
    mpz_t *number = &pool[next++ % 16];
    if ((*number)->_mp_d == NULL) mpz_init(*number);
    mpz_set_ui(*number, value);
    return *number;
}
