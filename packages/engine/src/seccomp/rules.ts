// System calls that are allowed with some values of one argument alone. The kernel reads these arguments as 32 bits.

/** `any`: one of the values; `none`: no bit of the mask. */
type Test = { readonly any: readonly number[] } | { readonly none: number }

export interface Rule {
  readonly numbers: readonly [x64: number, arm64: number]
  readonly argument: number
  readonly test: Test
}

const AF_UNIX = 1

export const rules: Readonly<Record<string, Rule>> = {
  /** Threads and processes, but none of CLONE_NEW*: no namespace inside. */
  clone: { numbers: [56, 220], argument: 0, test: { none: 0x7e020080 } },
  socket: { numbers: [41, 198], argument: 0, test: { any: [AF_UNIX] } },
  socketpair: { numbers: [53, 199], argument: 0, test: { any: [AF_UNIX] } },
  /** TCGETS, FIONBIO, FIONCLEX, FIOCLEX, TIOCGWINSZ, FIONREAD, and the interface flags that libuv asks for. */
  ioctl: { numbers: [16, 29], argument: 1, test: { any: [0x5401, 0x5421, 0x5450, 0x5451, 0x5413, 0x541b, 0x8933] } },
  /** Names, dumpability, parent death, no_new_privs and the names of memory areas. */
  prctl: { numbers: [157, 167], argument: 0, test: { any: [1, 2, 3, 4, 15, 16, 21, 23, 38, 39, 0x53564d41] } },
  personality: { numbers: [135, 92], argument: 0, test: { any: [0, 0xffffffff] } },
}
