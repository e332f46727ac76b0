/* bare.c: from reset to main on a Cortex-M4 without an operating system; the cases, in flash.
 * Leaves printing to newlib's semihosting, and memory's layout to bare.ld. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

extern uint32_t bare_data_from[], bare_data[], bare_data_end[], bare_bss[], bare_bss_end[], bare_stack[];
extern void initialise_monitor_handles(void);
extern int main(void);
void bare_reset(void);
void _init(void);
void _fini(void);
void bare_fault(void);

/* Where the flash stands at reset: the stack's top, then the handlers. */
__attribute__((section(".vectors"), used)) static const struct {
    uint32_t *stack;
    void (*handler[15])(void);
} vectors = {bare_stack,
             {bare_reset, bare_fault, bare_fault, bare_fault, bare_fault, bare_fault, bare_fault, bare_fault,
              bare_fault, bare_fault, bare_fault, bare_fault, bare_fault, bare_fault, bare_fault}};

/* The C library calls these around main; nothing is to be done. */
void _init(void) {}
void _fini(void) {}

/* A fault ends the run with a status that is no verdict. */
void bare_fault(void)
{
    static const char message[] = "\nbare.c: the processor has faulted\n";
    (void)fwrite(message, 1, sizeof message - 1, stderr);
    _Exit(3);
}

void bare_reset(void)
{
    const uint32_t *from = bare_data_from;
    for (uint32_t *to = bare_data; to < bare_data_end; to++) *to = *from++;
    for (uint32_t *to = bare_bss; to < bare_bss_end; to++) *to = 0;
    initialise_monitor_handles();
    static char buffer[16384];
    (void)setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    exit(main());
}

__asm__(".section .rodata.cases, \"a\"\n"
        ".global bare_cases\n"
        "bare_cases:\n"
        ".incbin \"" SNPY_CASES "\"\n"
        ".previous\n");
