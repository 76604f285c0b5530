// Full profile: Kubernetes' own Pod Security admission, built from its Go module, over the same pods. It allows what our rules allow,
// and forbids each weakening of the standard that they find.
// Profile: rest. A second judge of the pods that chart.test.ts judges.
import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { execa } from 'execa'
import * as v from 'valibot'
import { chart, lacksHelm, openHelms, type Helms } from './helm.ts'
import { type KubernetesObject, parseObjects, type Pod, podsOf } from './objects.ts'
import { copyChart } from './weaken.ts'
import { standard } from './weakenings.ts'

const full = process.env['GATEHOUSE_PROFILE'] === 'full'
const source = join(import.meta.dirname, '../fixtures/pod-security')
const hasGo = full && (await execa('go', ['version'], { reject: false }).then(({ exitCode }) => exitCode === 0))
const lacks = hasGo ? lacksHelm : 'needs Go 1.26, install with: the releases of go.dev'
if (full && !hasGo && process.env['CI'] === 'true') throw new Error(lacks === false ? '' : lacks)

const Answers = v.array(v.array(v.string()))

const define = () => {
  suite('the admission of Kubernetes', { skip: lacks }, () => {
    let place: string
    let helms: Helms
    before(
      async () => {
        place = await mkdtemp(join(tmpdir(), 'gatehouse-judge-'))
        helms = await openHelms()
        await execa('go', ['build', '-mod=readonly', '-o', join(place, 'judge'), '.'], { cwd: source })
      },
      { timeout: 900_000 },
    )
    after(async () => {
      await helms[Symbol.asyncDispose]()
      await rm(place, { recursive: true, force: true })
    })

    /** Why each pod is forbidden. */
    const judge = async (pods: readonly Pod[], version: string): Promise<string[][]> => {
      const asked = pods.map(({ of, labels, annotations, spec }) => ({ metadata: { name: of, labels, annotations }, spec }))
      const { stdout } = await execa(join(place, 'judge'), { input: JSON.stringify({ version, pods: asked }) })
      return v.parse(Answers, JSON.parse(stdout))
    }

    test('allows the pods of every set of values, in its oldest and its newest version', async () => {
      const objects: KubernetesObject[] = []
      for (const set of (await readdir(join(chart, 'ci'))).filter((name) => name.endsWith('-values.yaml'))) {
        const { code, out, err } = (await helms.all[0]?.run(['template', 'unit', chart, '--values', join(chart, 'ci', set)])) ?? {}
        assert.equal(code, 0, err)
        objects.push(...parseObjects(out ?? ''))
      }
      const pods = podsOf(objects)
      assert.equal(pods.length, 19)
      for (const version of ['v1.25', 'latest']) assert.deepEqual((await judge(pods, version)).flat(), [], version)
    })

    test('forbids each weakening of the standard', async () => {
      await using copy = await copyChart(helms.all[0])
      for (const weakening of standard) {
        const found = (await judge(podsOf(await copy.render(weakening)), 'latest')).flat()
        assert.ok(found.length > 0, `${weakening.line} as ${weakening.becomes} is allowed`)
      }
    })
  })
}

if (full) define()
