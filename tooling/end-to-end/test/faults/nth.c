/* Makes one call of a process fail: the N-th of its kind on the files below a directory. Loaded by LD_PRELOAD; NTH_BELOW names
   the directory. A try to open /nth/<kind>/<n>/<errno>/<once|on|drop> begins it, one to open /nth/end ends it and says EEXIST if
   it came to it. `on`: all that follow fail as well. `drop`: so do they, but each write
   says that it succeeded. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static char kind[16], mode[16];
static int number, code, seen, armed, fired;

static int below(const char *path) {
  const char *top = getenv("NTH_BELOW");
  size_t length = top == NULL ? 0 : strlen(top);
  return length > 0 && path != NULL && strncmp(path, top, length) == 0 && (path[length] == '/' || path[length] == 0);
}

static int fdBelow(int fd) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return below(path);
}

/* Whether this call is the one, or one of those that follow it. */
static int hit(const char *what) {
  if (!armed || strcmp(what, kind) != 0) return 0;
  int at = __sync_add_and_fetch(&seen, 1);
  if (at < number || (at > number && strcmp(mode, "once") == 0)) return 0;
  fired = 1;
  errno = code;
  return 1;
}

static int command(const char *path) {
  if (strncmp(path, "/nth/", 5) != 0) return 0;
  if (strcmp(path, "/nth/end") == 0) {
    armed = 0;
    errno = fired ? EEXIST : ENOENT;
    return 1;
  }
  seen = fired = 0;
  armed = sscanf(path, "/nth/%15[^/]/%d/%d/%15s", kind, &number, &code, mode) == 4;
  errno = ENOENT;
  return 1;
}

#define REAL(type, name, ...) ((type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name))

#define OPEN(name) \
  int name(const char *path, int flags, ...) { \
    va_list rest; va_start(rest, flags); int bits = va_arg(rest, int); va_end(rest); \
    if (command(path) || (below(path) && hit("open"))) return -1; \
    return REAL(int, name, const char *, int, ...)(path, flags, bits); \
  }
OPEN(open)
OPEN(open64)

#define WRITE(name, parameters, arguments, ...) \
  ssize_t name parameters { \
    if (armed && fdBelow(fd) && hit("write")) return strcmp(mode, "drop") == 0 ? (ssize_t)size : -1; \
    return REAL(ssize_t, name, __VA_ARGS__) arguments; \
  }
WRITE(write, (int fd, const void *data, size_t size), (fd, data, size), int, const void *, size_t)
WRITE(pwrite, (int fd, const void *data, size_t size, off_t at), (fd, data, size, at), int, const void *, size_t, off_t)
WRITE(pwrite64, (int fd, const void *data, size_t size, off64_t at), (fd, data, size, at), int, const void *, size_t, off64_t)

#define SYNC(name) \
  int name(int fd) { \
    if (armed && fdBelow(fd) && hit("sync")) return -1; \
    return REAL(int, name, int)(fd); \
  }
SYNC(fsync)
SYNC(fdatasync)

int rename(const char *from, const char *to) {
  if (below(from) && hit("rename")) return -1;
  return REAL(int, rename, const char *, const char *)(from, to);
}
