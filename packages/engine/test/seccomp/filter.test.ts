// The system call filter, executed by a small interpreter of classic BPF.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { allowed, unknown } from '../../src/seccomp/calls.ts'
import { type Architecture, renderBpf, renderOci } from '../../src/seccomp/filter.ts'

const audit = { x64: 0xc000003e, arm64: 0xc00000b7 } as const
const answers = new Map([
  [0x7fff0000, 'allow'],
  [0x00050001, 'EPERM'],
  [0x00050026, 'ENOSYS'],
  [0x80000000, 'kill'],
])

interface Call {
  readonly number: number
  readonly arguments?: readonly number[]
  readonly audit?: number
}

const decide = (architecture: Architecture, call: Call): string | undefined => {
  const program = Buffer.from(renderBpf(architecture))
  const data = Buffer.alloc(64)
  data.writeUInt32LE(call.number, 0)
  data.writeUInt32LE(call.audit ?? audit[architecture], 4)
  for (const [index, value] of (call.arguments ?? []).entries()) data.writeUInt32LE(value, 16 + index * 8)
  let accumulator = 0
  for (let at = 0; at < program.length; at += 8) {
    const [code, jt, jf, k] = [program.readUInt16LE(at), program.readUInt8(at + 2), program.readUInt8(at + 3), program.readUInt32LE(at + 4)]
    if (code === 0x20) accumulator = data.readUInt32LE(k)
    else if (code === 0x06) return answers.get(k)
    else if (code === 0x05) at += k * 8
    else {
      const holds =
        code === 0x15 ? accumulator === k : code === 0x35 ? accumulator >= k : code === 0x45 ? (accumulator & k) !== 0 : undefined
      assert.notEqual(holds, undefined, `opcode ${code}`)
      at += (holds === true ? jt : jf) * 8
    }
  }
  return undefined
}

const columns = { x64: 0, arm64: 1 } as const

describe('the system call filter', () => {
  for (const architecture of ['x64', 'arm64'] as const) {
    it(`follows the list for every call of ${architecture} and returns EPERM for others`, () => {
      const column = columns[architecture]
      const expected = new Map<number, string>()
      for (const numbers of Object.values(allowed)) if (numbers[column] !== null) expected.set(numbers[column], 'allow')
      for (const numbers of Object.values(unknown)) if (numbers[column] !== null) expected.set(numbers[column], 'ENOSYS')
      const ruled = new Set(architecture === 'x64' ? [56, 41, 53, 16, 157, 135] : [220, 198, 199, 29, 167, 92])
      for (let number = 0; number < 600; number += 1) {
        if (!ruled.has(number)) assert.equal(decide(architecture, { number }), expected.get(number) ?? 'EPERM', `call ${number}`)
      }
    })
  }

  it('kills a program of another architecture, and does not know x32', () => {
    assert.equal(decide('x64', { number: 0, audit: 0x40000003 }), 'kill')
    assert.equal(decide('arm64', { number: 63, audit: audit.x64 }), 'kill')
    assert.equal(decide('x64', { number: 0x40000000 }), 'ENOSYS')
  })

  it('allows threads, but no namespaces', () => {
    assert.equal(decide('x64', { number: 56, arguments: [0x3d0f00] }), 'allow')
    for (const flag of [0x20000, 0x10000000, 0x40000000, 0x20000000])
      assert.equal(decide('x64', { number: 56, arguments: [flag | 0x11] }), 'EPERM')
  })

  it('allows only unix sockets', () => {
    assert.equal(decide('x64', { number: 41, arguments: [1] }), 'allow')
    for (const family of [2, 10, 16, 17]) assert.equal(decide('x64', { number: 41, arguments: [family] }), 'EPERM')
  })

  it('checks the argument that the rule names', () => {
    assert.equal(decide('x64', { number: 16, arguments: [1, 0x5421] }), 'allow')
    assert.equal(decide('x64', { number: 16, arguments: [0x5421, 0x5412] }), 'EPERM')
    assert.equal(decide('x64', { number: 157, arguments: [38] }), 'allow')
    assert.equal(decide('x64', { number: 157, arguments: [22] }), 'EPERM')
  })

  it('renders the same rules for container engines', () => {
    const profile = renderOci() as {
      defaultAction: string
      syscalls: { names: string[]; action: string; errnoRet?: number; args?: object[] }[]
    }
    assert.equal(profile.defaultAction, 'SCMP_ACT_ERRNO')
    assert.deepEqual(profile.syscalls.find(({ names }) => names.includes('clone3'))?.errnoRet, 38)
    assert.deepEqual(
      profile.syscalls.filter(({ names }) => names.includes('socket')).map(({ args }) => args),
      [[{ index: 0, value: 1, op: 'SCMP_CMP_EQ' }]],
    )
    assert.equal(
      profile.syscalls.some(({ names }) => names.includes('mount') || names.includes('ptrace') || names.includes('bpf')),
      false,
    )
  })
})
