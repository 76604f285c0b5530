// The pod of the rendered chart, run on this host: its arguments, variables, uid and groups, on volumes as a kubelet hands them over.
// There is no Kubernetes here; what the image adds is tested with the image.
// Profile: rest. One way to deploy, as whole units on this host.
import assert from 'node:assert/strict'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { createInterface } from 'node:readline'
import { freePort, release, waitFor } from '@gatehouse/end-to-end'
import { execa } from 'execa'
import { chart, lacksHelm, openHelms, type Helms } from './helm.ts'
import { emptyDirectory, freshVolume, mountFor } from './kubelet.ts'
import { parseObjects, podsOf, type Pod } from './objects.ts'

const needsRoot = process.getuid?.() === 0 ? false : 'needs root: to make volumes as a kubelet does'
if (needsRoot !== false && process.env['CI'] === 'true') throw new Error(needsRoot)

const token = 'a'.repeat(40)

suite('the pod of the chart', { skip: lacksHelm || needsRoot }, () => {
  let helms: Helms
  let place: string
  let port: number
  let unit: Pod
  let trial: Pod
  const running: { end(): boolean; readonly ended: Promise<unknown> }[] = []

  before(async () => {
    helms = await openHelms()
    place = await mkdtemp(join(tmpdir(), 'gh-pod-'))
    await chmod(place, 0o755)
    port = await freePort()
    const values = ['--values', join(chart, 'ci/least-values.yaml'), '--set', `service.port=${port}`]
    const { out, err } = (await helms.all.at(-1)?.run(['template', 'unit', chart, '--namespace', 'agents', ...values])) ?? {
      out: '',
      err: '',
    }
    const rendered = podsOf(parseObjects(out))
    const [found, tests] = ['control-plane', 'test'].map((part) =>
      rendered.find(({ labels }) => labels['app.kubernetes.io/component'] === part),
    )
    assert.ok(found && tests, err)
    unit = found
    trial = tests
  })
  after(async () => {
    for (const pod of running) {
      pod.end()
      await pod.ended
    }
    await helms[Symbol.asyncDispose]()
    await rm(place, { recursive: true, force: true })
  })

  /** A new pod on the volume; its other directories are new. */
  const startPod = async (volume: string, changes: Readonly<Record<string, string>> = {}) => {
    const [container] = unit.spec.containers
    const { runAsUser: uid = 0, runAsGroup: gid = 0, fsGroup = 0 } = unit.spec.securityContext
    // Short, since paths of sockets are.
    const runtime = join(place, `run${running.length}`)
    await emptyDirectory(runtime, fsGroup)
    const here = (value: string): string => value.replace('/var/lib/gatehouse', volume).replace('/run/gatehouse', runtime)
    const env = Object.fromEntries((container?.env ?? []).map(({ name, value }) => [name, here(value ?? token)]))
    const child = execa(process.execPath, [join(release, 'gatehouse.mjs'), ...(container?.args ?? [])], {
      env: { ...env, ...changes },
      extendEnv: false,
      uid,
      gid,
      stdin: 'ignore',
      all: true,
      buffer: false,
      reject: false,
    })
    const lines: string[] = []
    createInterface({ input: child.all }).on('line', (line) => lines.push(line))
    const pod = {
      over: false,
      end: () => child.kill('SIGTERM'),
      ended: child.then(({ exitCode }) => ({ code: exitCode, said: lines.join('\n') })),
    }
    running.push(pod)
    void pod.ended.then(() => (pod.over = true))
    return pod
  }

  const ask = async (path: string, headers: Readonly<Record<string, string>> = {}): Promise<number> =>
    (await fetch(`http://127.0.0.1:${port}${path}`, { headers })).status

  const untilReady = async (pod: Awaited<ReturnType<typeof startPod>>): Promise<void> => {
    await waitFor('the pod to be ready, or to end', 90_000, async () => pod.over || (await ask('/readyz')) === 200)
    if (pod.over) assert.fail((await pod.ended).said)
  }

  const mount = (volume: string, policy = unit.spec.securityContext.fsGroupChangePolicy): Promise<void> =>
    mountFor(volume, { fsGroup: unit.spec.securityContext.fsGroup ?? 0, policy })

  test('starts on a fresh volume of root, passes its own helm test, and starts again on what it left', async () => {
    const volume = join(place, 'volume')
    await freshVolume(volume)
    for (const [index, changes] of [{}, { SERVICE_API_TOKEN: 'b'.repeat(40) }].entries()) {
      await mount(volume)
      const pod = await startPod(volume, changes)
      try {
        await untilReady(pod)
        if (index > 0) continue
        const script = trial.spec.containers[0]
        const args = [...(script?.command ?? []).slice(1), ...(script?.args ?? [])]
        assert.deepEqual(script?.command, ['/bin/node', '--input-type=module', '--eval'])
        const { exitCode, all } = await execa(process.execPath, args, {
          env: { UNIT: `http://127.0.0.1:${port}` },
          extendEnv: false,
          all: true,
          reject: false,
        })
        assert.equal(exitCode, 0, all)
        assert.equal(await ask('/v1/status', { authorization: `Bearer ${token}` }), 200)
      } finally {
        pod.end()
        assert.equal((await pod.ended).code, 0)
      }
    }
  })

  test('fails its helm test where the unit launches sandboxes, or does not answer', async () => {
    const script = trial.spec.containers[0]?.args[0] ?? ''
    const soon = script.replace('60_000', '0')
    assert.notEqual(soon, script)
    const { exitCode, all } = await execa(process.execPath, ['--input-type=module', '--eval', soon], {
      env: { UNIT: `http://127.0.0.1:${await freePort()}` },
      all: true,
      reject: false,
    })
    assert.equal(exitCode, 1)
    assert.match(all, /\/healthz: connect ECONNREFUSED/)
  })

  test('would not start where the kubelet opened the state to the group, or where the state were the root of the volume', async () => {
    const volume = join(place, 'weakened')
    await freshVolume(volume)
    await mount(volume)
    const first = await startPod(volume)
    await untilReady(first)
    first.end()
    await first.ended

    await mount(volume, 'Always')
    const opened = await (await startPod(volume)).ended
    assert.equal(opened.code, 77, opened.said)
    assert.match(opened.said, /chmod 0700 .*\/state/)

    const asRoot = await (await startPod(volume, { SERVICE_STATE_DIR: volume })).ended
    assert.equal(asRoot.code, 77, asRoot.said)
    assert.match(asRoot.said, /chown -R 65532:65532 /)
  })
})
