// A chart with one of its hardening lines taken away or turned round: the rules find each.
import assert from 'node:assert/strict'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { chart, lacksHelm, openHelms, type Helms } from './helm.ts'
import { house, houseFaults } from './house.ts'
import { parseObjects, podsOf } from './objects.ts'
import { restricted, violations } from './pod-security.ts'
import { house as houseWeakenings, standard, type Weakening } from './weakenings.ts'

suite('a weakened chart', { skip: lacksHelm }, () => {
  let helms: Helms
  let copy: string
  before(async () => {
    helms = await openHelms()
    copy = await mkdtemp(join(tmpdir(), 'gatehouse-chart-'))
    await cp(chart, copy, { recursive: true, dereference: true })
  })
  after(async () => {
    await helms[Symbol.asyncDispose]()
    await rm(copy, { recursive: true, force: true })
  })

  const render = async (weakening?: Weakening) => {
    const path = join(copy, 'templates', weakening?.file ?? 'statefulset.yaml')
    const text = await readFile(path, 'utf8')
    if (weakening !== undefined) {
      assert.equal(text.split(weakening.line).length, 2, `expected ${JSON.stringify(weakening.line)} once in ${weakening.file}`)
      await writeFile(
        path,
        text.replace(weakening.line, () => weakening.becomes),
      )
    }
    try {
      const values = ['least', 'ingress'].flatMap((set) => ['--values', join(chart, `ci/${set}-values.yaml`)])
      const [helm] = helms.all
      const { code, out, err } = (await helm?.run(['template', 'unit', copy, ...values])) ?? { code: 1, out: '', err: 'no Helm' }
      assert.equal(code, 0, err)
      return parseObjects(out)
    } finally {
      await writeFile(path, text)
    }
  }

  test('is found by the rules of the restricted standard, whichever line is weakened', async () => {
    for (const weakening of standard) {
      const found = podsOf(await render(weakening)).flatMap(violations)
      assert.ok(
        found.some((fault) => fault.startsWith(`${weakening.rule}: `)),
        `${weakening.rule} did not find ${weakening.line} as ${weakening.becomes}: ${found.join('; ')}`,
      )
    }
  })

  test('is found by the rules of the house, whichever line is weakened', async () => {
    for (const weakening of houseWeakenings) {
      const found = houseFaults(await render(weakening))
      assert.ok(
        found.some((fault) => fault.startsWith(`${weakening.rule}: `)),
        `${weakening.rule} did not find ${weakening.line} as ${weakening.becomes}: ${found.join('; ')}`,
      )
    }
  })

  test('is as good as the chart when nothing is weakened, and every rule has a weakening', async () => {
    const objects = await render()
    assert.deepEqual([...podsOf(objects).flatMap(violations), ...houseFaults(objects)], [])
    const untried = (rules: object, weakenings: readonly Weakening[]): string[] =>
      Object.keys(rules).filter((name) => !weakenings.some(({ rule }) => rule === name))
    assert.deepEqual([...untried(restricted, standard), ...untried(house, houseWeakenings)], [])
  })
})
