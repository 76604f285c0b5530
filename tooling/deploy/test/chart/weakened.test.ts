// A chart with one of its hardening lines taken away or turned round: the rules find each.
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { lacksHelm, openHelms, type Helms } from './helm.ts'
import { house, houseFaults } from './house.ts'
import { networkWeakenings } from './network-weakenings.ts'
import { podsOf } from './objects.ts'
import { restricted, violations } from './pod-security.ts'
import { copyChart, type Weakenable } from './weaken.ts'
import { house as houseOnly, standard, type Weakening } from './weakenings.ts'

const houseWeakenings = [...houseOnly, ...networkWeakenings]

suite('a weakened chart', { skip: lacksHelm }, () => {
  let helms: Helms
  let copy: Weakenable
  before(async () => {
    helms = await openHelms()
    copy = await copyChart(helms.all[0])
  })
  after(async () => {
    await helms[Symbol.asyncDispose]()
    await copy[Symbol.asyncDispose]()
  })

  test('is found by the rules of the restricted standard, whichever line is weakened', async () => {
    for (const weakening of standard) {
      const found = podsOf(await copy.render(weakening)).flatMap(violations)
      assert.ok(
        found.some((fault) => fault.startsWith(`${weakening.rule}: `)),
        `${weakening.rule} did not find ${weakening.line} as ${weakening.becomes}: ${found.join('; ')}`,
      )
    }
  })

  test('is found by the rules of the house, whichever line is weakened', async () => {
    for (const weakening of houseWeakenings) {
      const found = houseFaults(await copy.render(weakening))
      assert.ok(
        found.some((fault) => fault.startsWith(`${weakening.rule}: `)),
        `${weakening.rule} did not find ${weakening.line} as ${weakening.becomes}: ${found.join('; ')}`,
      )
    }
  })

  test('is as good as the chart when nothing is weakened, and every rule has a weakening', async () => {
    const objects = await copy.render()
    assert.deepEqual([...podsOf(objects).flatMap(violations), ...houseFaults(objects)], [])
    const untried = (rules: object, weakenings: readonly Weakening[]): string[] =>
      Object.keys(rules).filter((name) => !weakenings.some(({ rule }) => rule === name))
    assert.deepEqual([...untried(restricted, standard), ...untried(house, houseWeakenings)], [])
  })
})
