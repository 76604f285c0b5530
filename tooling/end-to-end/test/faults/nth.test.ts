// The N-th write, sync, rename or open of a unit's stores fails, alone or with all that follow: each act is done or refused by a
// code, and the next start finds whatever was answered. In the full profile every N up to 300, else a few, chosen by a seed.
// Profile: rest. A matrix of faults over all stores; each store tests its own.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { after, before, describe, test } from 'node:test'
import { seed, seeded } from '@gatehouse/testkit/random'
import { type Fault, Faulty, type Outcome } from './faulty.ts'

const skip = spawnSync('gcc', ['--version']).status === 0 ? false : 'needs gcc, install it with: apt-get install -y g++'
if (skip !== false && process.env['CI'] === 'true') throw new Error(skip)
const isFull = process.env['GATEHOUSE_PROFILE'] === 'full'

/** So many calls of each kind the work makes at least. */
const reached = { write: 200, sync: 80, rename: 7, open: 50 } as const
const most = 300

type Run = (fault: Fault) => Promise<Outcome>

/** All there are. */
const everyOne = async (run: Run, kind: Fault['kind'], mode: Fault['mode']): Promise<(Outcome & { n: number })[]> => {
  const outcomes = []
  for (let n = 1; n <= most; n += 1) {
    const outcome = await run({ kind, n, mode })
    if (!outcome.fired) break
    outcomes.push({ ...outcome, n })
  }
  return outcomes
}

const some = async (run: Run, kind: Fault['kind'], mode: Fault['mode']): Promise<(Outcome & { n: number })[]> => {
  const random = seeded(seed + reached[kind])
  const outcomes = []
  // Where all fail the process is another one each time.
  for (let round = 0; round < (mode === 'once' ? 3 : 1); round += 1) {
    const n = 1 + Math.floor(random() * reached[kind])
    outcomes.push({ ...(await run({ kind, n, mode })), n })
  }
  return outcomes
}

describe('the N-th call that fails', { skip, timeout: 3_600_000 }, () => {
  const faulty = new Faulty()
  const run: Run = (fault) => faulty.run(fault)
  before(() => faulty.prepare())
  after(() => faulty.close())

  for (const kind of ['write', 'sync', 'rename', 'open'] as const)
    for (const mode of ['once', 'on'] as const)
      test(`is a ${kind}${mode === 'on' ? ', and all that follow' : ''}: acts are done or refused, and nothing answered is lost`, async (t) => {
        const outcomes = await (isFull ? everyOne : some)(run, kind, mode)
        const [refused, ended] = [outcomes.filter(({ refused }) => refused.length > 0), outcomes.filter(({ ended }) => ended)]
        t.diagnostic(
          `GATEHOUSE_SEED=${seed}; ${outcomes.length} faults: ${refused.length} refused something, ${ended.length} ended the process`,
        )
        assert.ok(
          outcomes.every(({ fired }) => fired),
          'each came to its fault',
        )
        assert.deepEqual(
          outcomes.flatMap(({ n, faults }) => faults.map((fault) => `${kind} ${n}: ${fault}`)),
          [],
        )
      })

  test('is noticed when a disk lies: writes that are dropped lose what was answered', async () => {
    const { faults } = await run({ kind: 'write', n: 60, mode: 'drop' })
    assert.notDeepEqual(faults, [])
  })
})
