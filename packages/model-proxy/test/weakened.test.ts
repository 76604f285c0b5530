// Each wall is there for a reason: without it, one attack gets through that does not otherwise.
import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { weakenedCopy, type Weakening as Weakened } from '@gatehouse/testkit/weakened-copy'
import { attacks, type AttackName } from './fixtures/attacks.ts'
import { type Bench, createBench, type Source } from './fixtures/bench.ts'

interface Weakening extends Weakened {
  readonly attack: AttackName
}

const weakenings: readonly Weakening[] = [
  {
    file: 'requests/ask.ts',
    from: 'text === canonical || scan(text)',
    to: 'true || scan(text) || canonical',
    attack: 'a field named twice',
  },
  {
    file: 'formats/shape.ts',
    from: 'else throw new FieldRefused(fieldOf([...walk.path',
    to: 'else if (value === walk) throw new FieldRefused(fieldOf([...walk.path',
    attack: 'an unknown field',
  },
  { file: 'requests/ask.ts', from: 'if (!allowed.includes(power))', to: 'if (allowed.length > 99)', attack: 'a tool of the provider' },
  { file: 'formats/values.ts', from: "if (value.startsWith('data:'))", to: 'if (value)', attack: 'an image to be fetched' },
  {
    file: 'providers/table.ts',
    from: 'return rest === `${path.at}${query}`',
    to: 'return rest.startsWith(path.at)',
    attack: 'another path',
  },
  {
    file: 'handle.ts',
    from: 'if (!verdict.allowed) throw',
    to: 'if (!verdict.allowed && verdict.code === "frozen") throw',
    attack: 'another model',
  },
  {
    file: 'requests/ask.ts',
    from: "if (type !== 'application/json') throw",
    to: 'if (type === undefined) throw',
    attack: 'a body that is no JSON by its type',
  },
  {
    file: 'stream/headers.ts',
    from: "  'user-agent': 'gatehouse',",
    to: "  cookie: String(given['cookie']),",
    attack: 'a header of its own',
  },
  {
    file: 'stream/headers.ts',
    from: '.filter((each) => betas.some((pattern) => pattern.test(each)))',
    to: '.filter((each) => betas.length > 0 || each)',
    attack: 'a beta that connects',
  },
  { file: 'stream/headers.ts', from: 'if (at < 0) return bytes', to: 'if (bytes.length > 0) return bytes', attack: 'the key in a stream' },
  { file: 'stream/pieces.ts', from: 'Math.min(20, Math.ceil(secret.length / 2))', to: 'secret.length + 1', attack: 'the key in pieces' },
  {
    file: 'stream/whole.ts',
    from: 'blankText(JSON.stringify(answer), secret)',
    to: 'blankText(JSON.stringify(answer), null)',
    attack: 'the key in a whole answer',
  },
  { file: 'stream/forward.ts', from: 'blankText(told, secret)', to: 'blankText(told, null)', attack: 'the key in an error' },
  {
    file: 'stream/forward.ts',
    from: 'if (head.status === 401 || head.status === 403) throw',
    to: 'if (head.status === 1) throw',
    attack: 'the refusal of the key',
  },
  {
    file: 'stream/headers.ts',
    from: "  'request-id': /^",
    to: "  'openai-organization': /^[\\w-]+$/,\n  'request-id': /^",
    attack: 'a header of the provider',
  },
  {
    file: 'stream/forward.ts',
    from: 'if (mediaTypeOf(headers) !== wanted)',
    to: "if (mediaTypeOf(headers) === '')",
    attack: 'a page instead of an answer',
  },
  { file: 'budget.ts', from: "if (end === 'unsent' || end === 'failed')", to: "if (end !== 'whole')", attack: 'hanging up' },
  {
    file: 'budget.ts',
    from: ' - this.#account(group).reserved)',
    to: ')',
    attack: 'two at once',
  },
  { file: 'handle.ts', from: "if (frozen) return new Abandoned('frozen')", to: '', attack: 'a freeze' },
  {
    file: 'handle.ts',
    from: 'return isModel && hasPowers && !isOver ? undefined',
    to: 'return hasPowers && !isOver ? undefined',
    attack: 'a change of the model',
  },
]

const room = join(import.meta.dirname, '..')

const weaken = async (weakening: Weakening): Promise<{ source: Source; directory: string }> => {
  const { directory, load } = await weakenedCopy(room, weakening)
  return { source: { ...((await load('service.ts')) as Source), ...((await load('providers/table.ts')) as Source) }, directory }
}

const withBench = async (source: Source | undefined, act: (bench: Bench) => Promise<boolean>): Promise<boolean> => {
  const bench = await createBench()
  await bench.start(source === undefined ? {} : { source })
  try {
    return await act(bench)
  } finally {
    await bench.stop()
  }
}

const providerOf: Partial<Record<AttackName, string>> = { 'a header of its own': 'anthropic', 'a beta that connects': 'anthropic' }
const run = (name: AttackName, source?: Source): Promise<boolean> =>
  withBench(source, (bench) => {
    bench.gateway.provider = providerOf[name] ?? 'openai'
    return attacks[name](bench)
  })

for (const name of Object.keys(attacks) as AttackName[]) {
  test(`nothing gets through by ${name}`, async () => assert.equal(await run(name), false))
}

for (const weakening of weakenings) {
  test(`without its wall, ${weakening.attack} gets through`, async () => {
    const { source, directory } = await weaken(weakening)
    try {
      assert.equal(await run(weakening.attack, source), true)
    } finally {
      await rm(directory, { recursive: true, force: true })
    }
  })
}

test('every attack has a weakening that lets it through', () => {
  assert.deepEqual([...new Set(weakenings.map(({ attack }) => attack))].toSorted(), Object.keys(attacks).toSorted())
})
