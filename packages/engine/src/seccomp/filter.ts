// Renders the table of system calls as classic BPF for bubblewrap and as an OCI profile for container engines.
import { allowed, unknown } from './calls.ts'

/** `any`: one of the values; `none`: no bit of the mask. */
type Test = { readonly any: readonly number[] } | { readonly none: number }

interface Rule {
  readonly numbers: readonly [x64: number, arm64: number]
  readonly argument: number
  readonly test: Test
}

const AF_UNIX = 1

const rules: Readonly<Record<string, Rule>> = {
  /** Threads and processes are allowed, but no CLONE_NEW*, so no namespaces. */
  clone: { numbers: [56, 220], argument: 0, test: { none: 0x7e020080 } },
  socket: { numbers: [41, 198], argument: 0, test: { any: [AF_UNIX] } },
  socketpair: { numbers: [53, 199], argument: 0, test: { any: [AF_UNIX] } },
  /** TCGETS, FIONBIO, FIONCLEX, FIOCLEX, TIOCGWINSZ, FIONREAD, and the interface flags that libuv asks for. */
  ioctl: { numbers: [16, 29], argument: 1, test: { any: [0x5401, 0x5421, 0x5450, 0x5451, 0x5413, 0x541b, 0x8933] } },
  /** Names, dumpability, parent death, no_new_privs and the names of memory areas. */
  prctl: { numbers: [157, 167], argument: 0, test: { any: [1, 2, 3, 4, 15, 16, 21, 23, 38, 39, 0x53564d41] } },
  personality: { numbers: [135, 92], argument: 0, test: { any: [0, 0xffffffff] } },
}

const architectures = { x64: { audit: 0xc000003e, column: 0 }, arm64: { audit: 0xc00000b7, column: 1 } } as const
export type Architecture = keyof typeof architectures

/** Opcodes of linux/bpf_common.h. */
const LD = 0x20
const JA = 0x05
const JEQ = 0x15
const JGE = 0x35
const JSET = 0x45
const RET = 0x06

const allow = 0x7fff0000
const errno = (number: number): number => 0x00050000 | number
const notPermitted = errno(1)
const notImplemented = errno(38)
const killProcess = 0x80000000

/** Offsets in struct seccomp_data. */
const callNumber = 0
const architecture = 4
const argumentAt = (index: number): number => 16 + index * 8

/** Calls of the x32 ABI have this bit. */
const x32 = 0x40000000

interface Instruction {
  readonly code: number
  readonly jt: number
  readonly jf: number
  readonly k: number
}

type Action = number | Rule

const load = (offset: number): Instruction => ({ code: LD, jt: 0, jf: 0, k: offset })
const answer = (value: number): Instruction => ({ code: RET, jt: 0, jf: 0, k: value })

/** Number of instructions to skip when the test is true, and when it is false. */
const test = (code: number, k: number, [jt, jf]: readonly [number, number]): Instruction => ({ code, jt, jf, k })

const ruleCode = ({ argument, test: asked }: Rule): Instruction[] => {
  const read = load(argumentAt(argument))
  if ('none' in asked) return [read, test(JSET, asked.none, [1, 0]), answer(allow), answer(notPermitted)]
  const checks = asked.any.map((value, index) => test(JEQ, value, [asked.any.length - index, 0]))
  return [read, ...checks, answer(notPermitted), answer(allow)]
}

interface Span {
  readonly from: number
  readonly action: Action
}

/** Every number from 0 belongs to one span; adjacent spans with the same result are merged. */
const spans = (column: 0 | 1): Span[] => {
  const actions = new Map<number, Action>()
  const put = (number: number | null, action: Action): unknown => number !== null && actions.set(number, action)
  for (const numbers of Object.values(allowed)) put(numbers[column], allow)
  for (const numbers of Object.values(unknown)) put(numbers[column], notImplemented)
  for (const rule of Object.values(rules)) put(rule.numbers[column], rule)
  const last = Math.max(...actions.keys())
  const each = Array.from({ length: last + 2 }, (_, number): Span => ({ from: number, action: actions.get(number) ?? notPermitted }))
  return each.filter((span, index) => span.action !== each[index - 1]?.action)
}

const search = (list: readonly Span[]): Instruction[] => {
  const [first] = list
  if (first === undefined) throw new TypeError('the filter has no span')
  if (list.length === 1) return typeof first.action === 'number' ? [answer(first.action)] : ruleCode(first.action)
  const middle = list.length >> 1
  const [low, high] = [search(list.slice(0, middle)), search(list.slice(middle))]
  const from = list[middle]?.from ?? 0
  if (low.length <= 255) return [test(JGE, from, [low.length, 0]), ...low, ...high]
  return [test(JGE, from, [0, 1]), test(JA, low.length, [0, 0]), ...low, ...high]
}

/** The filter in the format of the kernel, an array of struct sock_filter. */
export const renderBpf = (name: Architecture): Uint8Array => {
  const { audit, column } = architectures[name]
  const program = [
    load(architecture),
    test(JEQ, audit, [1, 0]),
    answer(killProcess),
    load(callNumber),
    test(JGE, x32, [0, 1]),
    answer(notImplemented),
    ...search(spans(column)),
  ]
  const bytes = Buffer.alloc(program.length * 8)
  for (const [index, { code, jt, jf, k }] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8)
    bytes.writeUInt8(jt, index * 8 + 2)
    bytes.writeUInt8(jf, index * 8 + 3)
    bytes.writeUInt32LE(k, index * 8 + 4)
  }
  return bytes
}

export const isArchitecture = (name: string): name is Architecture => name in architectures

/** Renders the list of system calls as a profile for container engines. */
const ENOSYS = 38

const ruleEntries = ([name, { argument, test }]: [string, Rule]): object[] => {
  const entry = (condition: object): object => ({ names: [name], action: 'SCMP_ACT_ALLOW', args: [{ index: argument, ...condition }] })
  if ('none' in test) return [entry({ value: test.none, valueTwo: 0, op: 'SCMP_CMP_MASKED_EQ' })]
  return test.any.map((value) => entry({ value, op: 'SCMP_CMP_EQ' }))
}

/** @param passed calls to allow for a runtime that does not have them but cannot return ENOSYS through a filter */
export const renderOci = ({ passed = [] }: { readonly passed?: readonly string[] } = {}): object => ({
  defaultAction: 'SCMP_ACT_ERRNO',
  defaultErrnoRet: 1,
  architectures: ['SCMP_ARCH_X86_64', 'SCMP_ARCH_AARCH64'],
  syscalls: [
    { names: [...Object.keys(allowed), ...passed], action: 'SCMP_ACT_ALLOW' },
    { names: Object.keys(unknown).filter((name) => !passed.includes(name)), action: 'SCMP_ACT_ERRNO', errnoRet: ENOSYS },
    ...Object.entries(rules).flatMap(ruleEntries),
  ],
})
