// Each checker passes a sound tree and finds what is planted in it: a checker that sees nothing would pass both.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { boundaries } from '../src/boundaries/boundaries.ts'
import { build } from '../src/build.ts'
import type { Check, Outcome } from '../src/check.ts'
import { format } from '../src/format.ts'
import { lint } from '../src/lint.ts'
import { profiles } from '../src/profiles.ts'
import { sizes } from '../src/sizes.ts'
import { types } from '../src/types.ts'
import { unused } from '../src/unused.ts'
import { words } from '../src/words/words.ts'
import { plant } from './plant.ts'

const check = async (checker: Check, ...violations: readonly string[]): Promise<Outcome> => {
  using planted = plant(...violations)
  return await checker.run({ root: planted.root, full: false })
}

interface Row {
  readonly checker: Check
  readonly violation: string
  readonly finds: RegExp
}

const rows: readonly Row[] = [
  { checker: types, violation: 'types', finds: /kernel\/src\/planted\.ts.*TS2322/ },
  { checker: types, violation: 'types-console', finds: /apps\/console\/src\/planted\.ts.*TS2322/ },
  { checker: lint, violation: 'lint-floating', finds: /planted-floating\.ts.*no-floating-promises/ },
  { checker: lint, violation: 'lint-switch', finds: /planted-switch\.ts.*switch-exhaustiveness-check/ },
  { checker: lint, violation: 'lint-any', finds: /planted-any\.ts.*no-explicit-any/ },
  { checker: lint, violation: 'lint-default', finds: /planted-default\.ts.*no-default-export/ },
  { checker: format, violation: 'format', finds: /planted\.ts/ },
  { checker: unused, violation: 'unused-file', finds: /Unused files.*planted-alone\.ts/s },
  { checker: unused, violation: 'unused-export', finds: /Unused exports.*planted\s/s },
  {
    checker: boundaries,
    violation: 'layers-service',
    finds: /gateway\/src\/planted\.ts:2 → packages\/broker\/src\/service\.ts: a service imports/,
  },
  {
    checker: boundaries,
    violation: 'layers-up',
    finds: /kernel\/src\/planted\.ts:2 → packages\/gateway\/src\/service\.ts: plumbing imports/,
  },
  {
    checker: boundaries,
    violation: 'layers-types',
    finds: /contracts\/src\/planted\.ts:2 → packages\/kernel\/src\/index\.ts: contracts import/,
  },
  {
    checker: boundaries,
    violation: 'layers-app',
    finds: /console\/src\/planted\.ts:2 → packages\/gateway\/src\/service\.ts: an app imports no service/,
  },
  {
    checker: boundaries,
    violation: 'layers-provider',
    finds: /^packages\/gateway\/src\/planted\.ts:2 → tooling\/scripted-provider\/src\/index\.ts: a service imports.*$/,
  },
  {
    checker: boundaries,
    violation: 'layers-circle',
    finds: /planted-other\.ts → .*planted\.ts → .*planted-other\.ts: modules never import each other in a circle/,
  },
  {
    checker: boundaries,
    violation: 'layers-folders',
    finds:
      /^packages\/kernel: folders never import each other in a circle\n.*lower\/planted-state\.ts:2 → .*planted-act\.ts\n.*planted-other\.ts:2 → .*planted-state\.ts$/,
  },
  {
    checker: boundaries,
    violation: 'exports',
    finds:
      /^apps\/planted\/package\.json: export \.\/fixture lies outside src; .*\napps\/planted\/package\.json: the testkit belongs .*\napps\/planted\/src\/planted\.ts:3: export \* hides/m,
  },
  {
    checker: boundaries,
    violation: 'testkit',
    finds: /gateway\/src\/planted\.ts:2 → tooling\/testkit\/src\/random\.ts: shipped code never imports the testkit(?!.*gateway\/test)/s,
  },
  { checker: boundaries, violation: 'layers-package', finds: /extra\/src\/planted\.ts:2 → .*: a package stands in one of the layers/ },
  { checker: boundaries, violation: 'layers-unresolved', finds: /broker\/src\/planted\.ts:2: @gatehouse\/nowhere leads to no file/ },
  { checker: boundaries, violation: 'powers-process', finds: /planted\.ts:2: process\.env/ },
  { checker: boundaries, violation: 'powers-named', finds: /planted\.ts:2: import of exit from node:process/ },
  { checker: boundaries, violation: 'powers-destructured', finds: /planted\.ts:2: process\.argv/ },
  { checker: boundaries, violation: 'powers-program', finds: /planted\.ts:2: import of execa/ },
  { checker: boundaries, violation: 'powers-child', finds: /planted\.ts:2: import of node:child_process/ },
  { checker: boundaries, violation: 'powers-json', finds: /planted\.ts:2: JSON\.parse/ },
  { checker: boundaries, violation: 'powers-json-schema', finds: /planted\.ts:2: parseJson of valibot/ },
  { checker: boundaries, violation: 'powers-shell', finds: /planted\.ts:4: shell option/ },
  { checker: words, violation: 'words', finds: /^docs\/planted\.md:3: "anew": write again\n.*planted-words\.ts:2: "mended": write fix$/ },
  { checker: boundaries, violation: 'clock-duration', finds: /planted\.ts:2: Date\.now: measure durations/ },
  { checker: boundaries, violation: 'clock-date', finds: /planted\.ts:2: new Date\(\): measure durations/ },
  { checker: boundaries, violation: 'random-check', finds: /planted\.test\.ts:2: import of fast-check: tests take fc/ },
  { checker: boundaries, violation: 'random-number', finds: /planted\.test\.ts:2: Math\.random: tests take fc/ },
  { checker: boundaries, violation: 'clock-taken', finds: /planted\.ts:2: Date under another name/ },
  { checker: build, violation: 'build', finds: /planted: cannot build/ },
]

suite('a sound tree', () => {
  for (const checker of [types, lint, format, boundaries, sizes, profiles, words, unused]) {
    test(`passes ${checker.name}`, async () => assert.partialDeepStrictEqual(await check(checker), { ok: true, report: '' }))
  }
})

/** Those that take seconds to start look once, at all that is planted for them: each violation is in a file of its own. */
const slow: readonly Check[] = [types, lint, unused]
const looked = new Map<Check, Promise<Outcome>>()

const outcomeOf = ({ checker, violation }: Row): Promise<Outcome> => {
  if (!slow.includes(checker)) return check(checker, violation)
  const all = rows.filter((row) => row.checker === checker).map((row) => row.violation)
  const outcome = looked.get(checker) ?? check(checker, ...all)
  looked.set(checker, outcome)
  return outcome
}

suite('a planted violation', () => {
  for (const row of rows) {
    const { checker, violation, finds } = row
    test(`${violation} is found by ${checker.name}`, async () => {
      const outcome = await outcomeOf(row)
      assert.equal(outcome.ok, false)
      assert.match(outcome.report, finds)
    })
  }

  test('a file of 301 lines is found by sizes, one of 300 is not, a generated one never', async () => {
    using planted = plant()
    const write = (name: string, lines: number): void =>
      writeFileSync(join(planted.root, 'packages/kernel/src', name), '// line\n'.repeat(lines))
    write('long.ts', 301)
    write('full.ts', 300)
    write('table.generated.ts', 900)
    const outcome = await sizes.run({ root: planted.root, full: false })
    assert.equal(outcome.report, 'packages/kernel/src/long.ts: 301 lines, maximum 300; split it by concept')
    assert.equal(outcome.figures, '6 files, median 4 lines, p90 300')
  })

  test('an exempt package or page may break the rule, and a name that needs no exemption is found', async () => {
    const outcome = await check(words, 'words', 'words-exempt')
    assert.equal(outcome.report, 'packages/broker keeps the rule "words": remove it from tooling/checks/exemptions.json')
  })

  test('a module that cannot be parsed is found by boundaries', async () => {
    using planted = plant()
    writeFileSync(join(planted.root, 'packages/kernel/src/broken.tsx'), 'export const broken = (')
    await assert.rejects(boundaries.run({ root: planted.root, full: false }), /kernel\/src\/broken\.tsx: cannot be parsed/)
  })

  test('a tree without modules is found by boundaries', async () => {
    await assert.rejects(boundaries.run({ root: join(import.meta.dirname, 'nowhere'), full: false }), /found none/)
  })
})
