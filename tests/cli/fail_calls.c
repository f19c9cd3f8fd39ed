// Fails the n-th call of one function, and only that one: LD_PRELOAD=fail_calls.so FAIL_CALL=write FAIL_AT=3 postil ...
// Calls count from the moment that main() looks at standard input's descriptor; what happens before is not the program's. If the
// call is never reached, the file FAIL_LOG is made. If it was made by the solver of linear programs, FAIL_INSIDE is: that library
// frees memory twice when an allocation of its own fails, and nobody outside can help it.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const char* call;
static long at;
static atomic_long count;
static atomic_int begun;

__attribute__((constructor)) static void begin(void) {
  const char* number = getenv("FAIL_AT");
  call = getenv("FAIL_CALL");
  at = number ? atol(number) : 0;
  void* frame;
  backtrace(&frame, 1);  // loads what it needs
}

__attribute__((destructor)) static void end(void) {
  const char* log = getenv("FAIL_LOG");
  if (log && atomic_load(&count) < at) close(creat(log, 0600));
}

static int fails(const char* name) {
  if (!call || !atomic_load(&begun) || strcmp(call, name) != 0) return 0;
  return atomic_fetch_add(&count, 1) + 1 == at;
}

static void tell_where(void) {
  void* frames[12];
  const int depth = backtrace(frames, 12);
  const char* log = getenv("FAIL_INSIDE");
  for (int k = 0; log && k < depth; ++k) {
    Dl_info from;
    if (!dladdr(frames[k], &from) || !from.dli_fname) continue;
    if (strstr(from.dli_fname, "libClp") || strstr(from.dli_fname, "libCoin")) close(creat(log, 0600));
  }
}

#define REAL(type, name, ...) \
  static type (*real)(__VA_ARGS__); \
  if (!real) real = (type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)
#define FAIL(error, value) return (errno = (error), (value))

int fcntl64(int fd, int command, ...) {
  REAL(int, "fcntl64", int, int, ...);
  va_list arguments;
  va_start(arguments, command);
  void* argument = va_arg(arguments, void*);
  va_end(arguments);
  if (fd == 0 && command == F_GETFD) atomic_store(&begun, 1);
  return real(fd, command, argument);
}
int fcntl(int fd, int command, ...) {
  va_list arguments;
  va_start(arguments, command);
  void* argument = va_arg(arguments, void*);
  va_end(arguments);
  return fcntl64(fd, command, argument);
}
ssize_t write(int fd, const void* bytes, size_t n) {
  REAL(ssize_t, "write", int, const void*, size_t);
  if (fd != 2 && fails("write")) FAIL(ENOSPC, -1);
  return real(fd, bytes, n);
}
ssize_t read(int fd, void* bytes, size_t n) {
  REAL(ssize_t, "read", int, void*, size_t);
  if (fails("read")) FAIL(EIO, -1);
  return real(fd, bytes, n);
}
int fsync(int fd) {
  REAL(int, "fsync", int);
  if (fails("fsync")) FAIL(EIO, -1);
  return real(fd);
}
int rename(const char* from, const char* to) {
  REAL(int, "rename", const char*, const char*);
  if (fails("rename")) FAIL(EACCES, -1);
  return real(from, to);
}
int linkat(int a, const char* from, int b, const char* to, int flags) {
  REAL(int, "linkat", int, const char*, int, const char*, int);
  if (fails("linkat")) FAIL(EACCES, -1);
  return real(a, from, b, to, flags);
}
int open64(const char* path, int flags, ...) {
  REAL(int, "open64", const char*, int, ...);
  va_list arguments;
  va_start(arguments, flags);
  mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  if (fails("open")) FAIL(EMFILE, -1);
  return real(path, flags, mode);
}
int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  return open64(path, flags, mode);
}
void* mmap64(void* where, size_t n, int protection, int flags, int fd, off_t offset) {
  REAL(void*, "mmap64", void*, size_t, int, int, int, off_t);
  if (fails("mmap")) FAIL(ENOMEM, MAP_FAILED);
  return real(where, n, protection, flags, fd, offset);
}
void* mmap(void* where, size_t n, int protection, int flags, int fd, off_t offset) {
  return mmap64(where, n, protection, flags, fd, offset);
}
extern void* __libc_malloc(size_t n);
void* malloc(size_t n) {
  if (fails("malloc")) {
    tell_where();
    FAIL(ENOMEM, NULL);
  }
  return __libc_malloc(n);
}
