// Renders the list of system calls as classic BPF, which `bwrap --seccomp` loads: a binary search over call numbers.
import { allowed, unknown } from './calls.ts'
import { type Rule, rules } from './rules.ts'

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

/** How many instructions to skip when the test holds, and when not. */
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

/** Every number from 0 on belongs to one span; neighbours with the same answer are one. */
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
  if (first === undefined) throw new TypeError('expected at least one span')
  if (list.length === 1) return typeof first.action === 'number' ? [answer(first.action)] : ruleCode(first.action)
  const middle = list.length >> 1
  const [low, high] = [search(list.slice(0, middle)), search(list.slice(middle))]
  const from = list[middle]?.from ?? 0
  if (low.length <= 255) return [test(JGE, from, [low.length, 0]), ...low, ...high]
  return [test(JGE, from, [0, 1]), test(JA, low.length, [0, 0]), ...low, ...high]
}

/** The filter as the kernel takes it: struct sock_filter after struct sock_filter. */
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
