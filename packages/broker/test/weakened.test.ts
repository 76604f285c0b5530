// Each wall of the broker is there for a reason: without it, one thing gets through that does not otherwise.
import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { weakenedCopy, type Weakening } from '@gatehouse/testkit/weakened-copy'
import { createBench, local, sessionOne, type Source } from './fixtures/bench.ts'
import { type Intrusion, type IntrusionName, intrusions } from './fixtures/intrusions.ts'

const weakenings: Readonly<Record<IntrusionName, Weakening>> = {
  'a call that is not granted': {
    file: 'calls/call.ts',
    from: 'if (!verdict.allowed) return',
    to: "if (!verdict.allowed && verdict.code === 'frozen') return",
  },
  'a call in a frozen group': {
    file: 'calls/call.ts',
    from: 'if (!verdict.allowed) return',
    to: "if (!verdict.allowed && verdict.code !== 'frozen') return",
  },
  'a tool that is not what was approved': {
    file: 'upstream/call-tool.ts',
    from: '(pin === undefined || getDefinitionDigest(definition) === pin)',
    to: '(pin !== getDefinitionDigest(definition) || true)',
  },
  'a call that no record could be written of': {
    file: 'calls/call.ts',
    from: 'if (!recorder.isWritable) return false',
    to: 'if (!recorder.isWritable) return true',
  },
  'a call whose grant ended while it was sent': {
    file: 'calls/session.ts',
    from: "return isGranted ? undefined : new Abandoned('revoked')",
    to: 'return isGranted ? undefined : undefined',
  },
  'a value of the entry': { file: 'secrets/redact.ts', from: 'if (secrets.length === 0) return value', to: 'if (secrets) return value' },
  'a variable of the host': { file: 'upstream/stdio/start-program.ts', from: 'extendEnv: false', to: 'extendEnv: true' },
  'a line of any length': {
    file: 'upstream/stdio/lines.ts',
    from: "const fault = size > most ? 'bytes' : watching?.push(piece)",
    to: 'const fault = undefined',
  },
  'more text than an agent may be shown': { file: 'calls/content.ts', from: 'if (size <= this.#left) {', to: 'if (size > 0) {' },
  'a code that colours a terminal': {
    file: 'calls/content.ts',
    from: "hasControl.test(text) ? text.replaceAll(controls, '') : text",
    to: "hasControl.test('') ? text.replaceAll(controls, '') : text",
  },
  'a block of no kind that is known': {
    file: 'calls/content.ts',
    from: 'return isObject(block) && isText(type) && Object.hasOwn(kinds, type) && kinds[type]?.(block) === true',
    to: 'return isObject(block) && type !== undefined',
  },
  'a question to the caller': {
    file: 'calls/interpret.ts',
    from: "result['resultType'] === 'input_required'",
    to: "result['resultType'] === ''",
  },
  'a list of any length': {
    file: 'upstream/list-tools.ts',
    from: "if (tools.size + dropped + page.tools.length > limits.listTools) throw new UpstreamFailure('too-large')",
    to: '',
  },
  'a name with white space': { file: 'upstream/list-tools.ts', from: '/^[\\x21-\\x7e]{1,128}$/', to: '/^[\\x20-\\x7e]{1,128}$/' },
}

const room = join(import.meta.dirname, '..')

const weaken = async (weakening: Weakening): Promise<{ source: Source; directory: string }> => {
  const { directory, load } = await weakenedCopy(room, weakening)
  return { source: (await load('service.ts')) as Source, directory }
}

const run = async (name: IntrusionName, source?: Source): Promise<boolean> => {
  const { env, options, prepare, act }: Intrusion = intrusions[name]
  const bench = await createBench()
  bench.gateway.catalog = { sample: local(env) }
  bench.gateway.grants = { [sessionOne]: { sample: [] } }
  prepare?.(bench)
  try {
    await bench.start({ ...options, ...(source !== undefined && { source }) })
    return await act(bench)
  } finally {
    await bench.stop()
  }
}

for (const name of Object.keys(intrusions) as IntrusionName[]) {
  test(`${name} does not get through`, async () => assert.equal(await run(name), false))

  test(`without its wall, ${name} gets through`, async () => {
    const { source, directory } = await weaken(weakenings[name])
    try {
      assert.equal(await run(name, source), true)
    } finally {
      await rm(directory, { recursive: true, force: true })
    }
  })
}
