// Agents that think, in a whole unit, in the wire format of each provider and in each kind of sandbox.
// Profile: rest. A matrix of providers and sandboxes; proxy.test.ts shows one of each.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { execa } from 'execa'
import { expired, granted, judgeProviders, rejected, withdrawn } from '../fixtures/dialogues.ts'
import { hosts } from '../fixtures/provider-hosts.ts'
import { type House, models, type Name, openHouse, type Thinker } from '../fixtures/thinkers.ts'
import { endless, growOld, judgeBills, survive } from '../fixtures/trials.ts'

const full = process.env['GATEHOUSE_PROFILE'] === 'full'
const turns = full ? 200 : 5
const all = Object.keys(models) as Name[]

interface Place {
  readonly name: string
  readonly flags: readonly string[]
  readonly needs: readonly string[]
  readonly providers: readonly Name[]
}

const places: readonly Place[] = [
  {
    name: 'bubblewrap',
    flags: ['--sandbox', 'bubblewrap'],
    needs: ['bwrap'],
    providers: full ? all : ['anthropic', 'openai', 'gemini', 'compatible'],
  },
  {
    name: 'oci with runsc',
    flags: ['--sandbox', 'oci', '--sandbox-runtime', 'runsc'],
    needs: ['runsc'],
    providers: full ? all : ['anthropic'],
  },
]

/** In CI what cannot run is a failure: a skip there would hide a missing install step. */
const lacking = async ({ needs, name }: Place): Promise<string | false> => {
  const missing: string[] = []
  for (const program of needs) if ((await execa(program, ['--version'], { reject: false })).failed) missing.push(program)
  if (name.startsWith('oci') && process.getuid?.() !== 0) missing.push('root, for a host id of its own')
  if (missing.length === 0) return false
  const reason = `needs ${missing.join(' and ')}: apt-get install -y bubblewrap runsc`
  if (process.env['CI'] === 'true') throw new Error(reason)
  return reason
}

for (const place of places) {
  const skip = await lacking(place)
  const hasTrials = full || place.name === 'bubblewrap'
  describe(`in ${place.name}`, { skip, timeout: 1_200_000 }, () => {
    let house: House
    let thinkers: Thinker[] = []
    before(async () => {
      house = await openHouse(place.flags)
      for (const name of place.providers) thinkers = [...thinkers, await house.create(name)]
    })
    after(() => house.close())

    for (const [index, name] of place.providers.entries()) {
      const who = (): Thinker => {
        const found = thinkers[index]
        assert.ok(found)
        return found
      }
      test(`${name}: a request is held, approved by svcctl and told, and the tool answers at the next launch`, () => granted(house, who()))
      test(`${name}: a request after untrusted words is shown as such, and its rejection is told`, () => rejected(house, who()))
      test(`${name}: a request is taken back by who asked for it, and by nobody else`, () => withdrawn(house, who()))
      if (!hasTrials) continue
      test(`${name}: faults of the provider are survived and said, and nothing is asked or billed twice`, async () => {
        await survive(house, who())
        if (full) await survive(house, who(), [endless])
        await judgeBills(house, who())
      })
    }

    if (hasTrials)
      test(`${turns} turns with 60 KiB of instructions, 40 tools and results of 5 MB stay valid`, async () => {
        const [who] = thinkers
        assert.ok(who)
        await growOld(house, who, turns)
        await judgeBills(house, who)
      })

    test('each provider was asked at its own host alone, soundly, with its own key', () => {
      judgeProviders(house)
      const wanted = place.providers.flatMap((name) => (name === 'compatible' ? [] : [`${hosts[name]}:443`]))
      assert.deepEqual([...new Set(house.hosts.asked)].toSorted(), wanted.toSorted())
    })
  })

  if (!full) continue
  describe(`in ${place.name}, where nobody decides`, { skip, timeout: 1_200_000 }, () => {
    let house: House
    before(async () => {
      house = await openHouse([...place.flags, '--change-ttl', '1m'])
    })
    after(() => house.close())
    test('each agent is told that its request expired', async () => {
      const thinkers: Thinker[] = []
      for (const name of place.providers) thinkers.push(await house.create(name))
      await Promise.all(thinkers.map((who) => expired(house, who)))
    })
  })
}
