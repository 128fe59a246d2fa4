"""Names that a function in C, C++ or CUDA must not have: keywords, the libraries' names, those of the text itself."""

from __future__ import annotations

import re

_KEYWORDS = """
    alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t char8_t class co_await
    co_return co_yield compl complex concept const const_cast consteval constexpr constinit continue decltype default
    delete do double dynamic_cast else enum explicit export extern false float for fortran friend goto half if imaginary
    inline int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public
    register reinterpret_cast requires restrict return short signed sizeof static static_assert static_cast struct
    switch template this thread_local throw true try typedef typeid typename typeof typeof_unqual union unsigned using
    virtual void volatile wchar_t while xor xor_eq
"""
_MATH = """
    acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh drem erf erfc exp exp10 exp2 expm1 fabs fdim
    finite floor fma fmax fmin fmod frexp gamma hypot ilogb isinf isnan j0 j1 jn ldexp lgamma llrint llround log log10
    log1p log2 logb lrint lround modf nan nearbyint nextafter nexttoward pow remainder remquo rint round scalb scalbln
    scalbn significand sin sincos sinh sqrt tan tanh tgamma trunc y0 y1 yn
"""  # each of them also with f and l behind it
_LIBRARY = """
    a64l abort abs alarm aligned_alloc alloca arc4random asprintf at_quick_exit atexit atof atoi atol atoll bcmp bcopy
    brk bsearch bzero calloc clearenv clearerr clock close connect ctermid ctime dirname div dprintf dup dup2 environ
    errno exit fclose fcntl fdopen feof ferror fflush ffs ffsl ffsll fgetc fgetpos fgets fileno flockfile fmemopen fopen
    fork fpclassify fprintf fputc fputs fread free freopen fscanf fseek fseeko fsetpos fstat ftell ftello ftrylockfile
    funlockfile fwrite getc getchar getdelim getenv getline getloadavg getpid gets getsubopt getw gmtime index initstate
    ioctl isatty isfinite isgreater isgreaterequal isless islessequal islessgreater isnormal isunordered kill l64a labs
    ldiv linux listen llabs lldiv localtime longjmp lseek main malloc math_errhandling mblen mbstowcs mbtowc memccpy
    memchr memcmp memcpy memmove mempcpy memset mkdtemp mkstemp mkstemps mktemp mktime mmap munmap nanosleep offsetof
    on_exit open open_memstream pause pclose perror pipe poll popen posix_memalign printf pselect putc putchar putenv
    puts putw qsort quick_exit raise rand rand_r random read realloc reallocarray realpath remove rename renameat rewind
    rindex rpmatch sbrk scanf select setbuf setbuffer setenv setjmp setlinebuf setstate setvbuf sigaction signal signbit
    signgam sleep snprintf socket sprintf srand srandom sscanf stat stderr stdin stdout stpcpy stpncpy strcasecmp strcat
    strchr strcmp strcoll strcpy strcspn strdup strerror strftime strlen strncasecmp strncat strncmp strncpy strndup
    strnlen strpbrk strrchr strsep strsignal strspn strstr strtod strtof strtok strtok_r strtol strtold strtoll strtoq
    strtoul strtoull strtouq strxfrm system tempnam time times tmpfile tmpnam truncate ungetc unix unlink unsetenv
    valloc vdprintf vfork vfprintf vfscanf vprintf vscanf vsnprintf vsprintf vsscanf wait waitpid wcstombs wctomb write
"""
_CUDA = "atomicAdd blockDim blockIdx dim3 gridDim max min norm3d norm4d rcbrt rhypot rnorm rsqrt threadIdx warpSize"
_OWN = "bad failed i infinity linux main n nan null s scale size_t states std stream unix worst wrong"

CALLS = ("sqrt", "sin", "cos", "atan2", "exp", "log")
"""The functions of libm that programs call."""
SHORT = {*_KEYWORDS.split(), *_OWN.split(), *CALLS, *(f"{f}f" for f in CALLS)}
"""What an argument must not be called either, in whatever case."""
_NAMES = {*SHORT, *_LIBRARY.split(), *_CUDA.split(), *(f + x for f in _MATH.split() for x in ("", "f", "l"))}
_PATTERNS = re.compile(
    r"[^a-z]*|.*_t|fd_(set|mask)|va_list|u_?(char|int|long|short)|cuda.*|make_.*[1-4]"
    r"|(u?(char|short|int|long|longlong)|float|double)[1-4]"
    r"|(f?(put|get)c|(put|get)char|f(read|write|eof|error|flush|ileno)|clearerr)_unlocked|(htob|htol)e\d\d|[bl]e\d\dtoh"
    r"|(lgamma[fl]?|strtok|strerror|tmpnam|s?random|initstate|setstate)_r|str(coll|xfrm|error|n?casecmp)_l"
    r"|([a-z]?rand48|seed48|lcong48|q?[efg]cvt)(_r)?|arc4random_.*|[LP]_tmp.*|L_ctermid|explicit_bzero"
)


def is_taken(name: str) -> bool:
    """Whether a function must not have this name; one in capitals alone may be a macro's.

    >>> is_taken("fabs"), is_taken("NULL"), is_taken("size_t"), is_taken("panda_torques")
    (True, True, True, False)
    """
    return name in _NAMES or _PATTERNS.fullmatch(name) is not None
