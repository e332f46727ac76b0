/* value.h: what the bytes of one element mean, as the provers know it. spec/npy.md, "Elements".
 *
 * Logic only: the compiler sees an empty file. `p` is the element, `big` its byte order. */
#ifndef SAFENPY_LOGIC_VALUE_H
#define SAFENPY_LOGIC_VALUE_H

/* clang-format off */
/*@ // NPY-VALUE-001: unsigned numbers of 2, 4, 8 and n bytes
    logic integer number2(uint8_t *p, boolean big) = big ? 256 * p[0] + p[1] : p[0] + 256 * p[1];
    logic integer number4(uint8_t *p, boolean big) =
        big ? 65536 * number2(p, big) + number2(p + 2, big) : number2(p, big) + 65536 * number2(p + 2, big);
    logic integer number8(uint8_t *p, boolean big) =
        big ? 0x100000000 * number4(p, big) + number4(p + 4, big) : number4(p, big) + 0x100000000 * number4(p + 4, big);
    logic integer number(uint8_t *p, integer n, boolean big) =
        n == 1 ? p[0] : n == 2 ? number2(p, big) : n == 4 ? number4(p, big) : number8(p, big);

    // NPY-VALUE-003: how many numbers n bytes make, and the signed one that an unsigned one stands for
    logic integer numbers(integer n) = n == 1 ? 0x100 : n == 2 ? 0x10000 : n == 4 ? 0x100000000 : 0x10000000000000000;
    logic boolean is_signed_kind(integer kind) = kind == 'i' || kind == 'M' || kind == 'm';
    logic integer signed_of(integer u, integer n) = 2 * u < numbers(n) ? u : u - numbers(n);
*/
/* clang-format on */

#endif
