// The difference of two texts as a reader sees it: complete, in order, and quick whatever is compared.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compare, diffLines, type Line } from '../../src/components/diff/diff-lines.ts'
import { packageTree } from '../../src/components/diff/package-tree.ts'
import { parametersOf } from '../../src/components/tool-parameters.ts'

/** The same sequence at each run. */
const createDice = (seed: number) => {
  let state = seed
  return (sides: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * sides)
  }
}
const side = (lines: readonly Line[], without: 'gone' | 'new'): string =>
  lines
    .filter(({ mark }) => mark !== without)
    .map(({ pieces }) => pieces.map(({ text }) => text).join(''))
    .join('\n')
const allLines = (before: string, after: string): Line[] => diffLines(before, after).flatMap(({ lines }) => lines)

test('both texts can be read in full from their difference, whatever they are', () => {
  const dice = createDice(7)
  const text = (): string => Array.from({ length: dice(12) }, () => ['a b c', 'a b d', 'x', '', 'long line of words'][dice(5)]).join('\n')
  for (let round = 0; round < 2_000; round += 1) {
    const [before, after] = [text(), text()]
    const lines = allLines(before, after)
    assert.equal(side(lines, 'new'), before)
    assert.equal(side(lines, 'gone'), after)
  }
})

test('finds the shortest way', () => {
  const dice = createDice(11)
  for (let round = 0; round < 500; round += 1) {
    const word = (): string[] => Array.from({ length: dice(9) }, () => 'abc'[dice(3)] ?? '')
    const [a, b] = [word(), word()]
    const table = Array.from({ length: a.length + 1 }, () => Array.from({ length: b.length + 1 }, () => 0))
    for (let i = 1; i <= a.length; i += 1)
      for (let j = 1; j <= b.length; j += 1)
        table[i]![j] = a[i - 1] === b[j - 1] ? table[i - 1]![j - 1]! + 1 : Math.max(table[i - 1]![j]!, table[i]![j - 1]!)
    assert.equal(compare(a, b).filter(({ mark }) => mark === 'same').length, table[a.length]![b.length], `${a.join('')} ${b.join('')}`)
  }
})

test('marks the words of a line that was edited, and no words of one that was replaced', () => {
  const [gone, added] = allLines('Be kind to people.', 'Be rude to people.')
  assert.deepEqual(
    gone?.pieces.filter(({ changed }) => changed).map(({ text }) => text),
    ['kind'],
  )
  assert.deepEqual(
    added?.pieces.filter(({ changed }) => changed).map(({ text }) => text),
    ['rude'],
  )
  assert.ok(allLines('alpha beta', 'gamma delta').every(({ pieces }) => pieces.every(({ changed }) => !changed)))
})

test('folds what is far from every difference, and nothing else', () => {
  const lines = Array.from({ length: 40 }, (_, index) => `line ${index}`)
  const stretches = diffLines(lines.join('\n'), lines.with(20, 'another').join('\n'))
  assert.deepEqual(
    stretches.map(({ fold, lines: held }) => [fold, held.length]),
    [
      [true, 17],
      [false, 3],
      [false, 2],
      [false, 3],
      [true, 16],
    ],
  )
})

test('compares the longest texts that have nothing in common', () => {
  const many = (word: string): string => Array.from({ length: 32_000 }, (_, index) => `${word}${index}`).join('\n')
  assert.equal(allLines(many('a'), many('b')).length, 64_000)
})

test('puts each package below the one in whose directory it lies', () => {
  const locked = (path: string) => ({
    path,
    name: path.split('node_modules/').at(-1) ?? '',
    version: '1.0.0',
    tarball: '',
    integrity: '',
    binaries: [],
    scripts: [],
    bundled: [],
  })
  const [a, b] = packageTree([locked('node_modules/a'), locked('node_modules/a/node_modules/@s/b'), locked('node_modules/c')])
  assert.equal(a?.children[0]?.locked.name, '@s/b')
  assert.equal(b?.locked.name, 'c')
})

test('reads what a tool takes from any schema', () => {
  const inputSchema = {
    type: 'object',
    required: ['path'],
    properties: {
      path: { type: 'string', description: 'where' },
      how: { enum: ['a', 1] },
      all: { type: 'array', items: { type: 'string' } },
      odd: true,
      both: { anyOf: [] },
    },
  }
  assert.deepEqual(
    parametersOf({ inputSchema }).map(({ name, type, required, about }) => [name, type, required, about]),
    [
      ['path', 'string', true, 'where'],
      ['how', 'one of "a", 1', false, ''],
      ['all', 'list of string', false, ''],
      ['odd', 'anything', false, ''],
      ['both', 'any of several', false, ''],
    ],
  )
  for (const schema of [{}, { properties: null }, { properties: [], required: 'x' }])
    assert.deepEqual(parametersOf({ inputSchema: schema }), [])
})
