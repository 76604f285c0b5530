// Full profile: the control-plane image in a container that is made as the chart's pod says, with its own helm test beside it; and the
// image that platforms build of it, on a volume that belongs to root.
// Profile: rest. One way to deploy, on a container engine.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { chmod, lstat, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { waitFor } from '@gatehouse/end-to-end'
import { loadLayout } from '@gatehouse/images/load'
import { buildControlPlane } from '@gatehouse/images/trial'
import { execa } from 'execa'
import { chart, lacksHelm, openHelms } from './chart/helm.ts'
import { freshVolume, mountFor } from './chart/kubelet.ts'
import { parseObjects, podsOf, type Pod } from './chart/objects.ts'
import { folder, readTemplates } from './platforms/templates.ts'

const full = process.env['GATEHOUSE_PROFILE'] === 'full'
const isRoot = process.getuid?.() === 0
const engine = full && (await execa('docker', ['info'], { reject: false }).then(({ exitCode }) => exitCode === 0))
const lacks = !isRoot || !engine ? 'needs root and a Docker Engine, install with: apt-get install -y docker.io' : lacksHelm
const token = 'a'.repeat(40)

/** What a pod asks for, in the words of docker. */
const flagsOf = ({ spec }: Pod, volume: string): string[] => {
  const [container] = spec.containers
  const { runAsUser, runAsGroup, fsGroup } = spec.securityContext
  const security = container?.securityContext
  const memory = spec.volumes.filter((each) => 'emptyDir' in each).map(({ name }) => name)
  return [
    '--user',
    `${runAsUser}:${runAsGroup}`,
    '--group-add',
    String(fsGroup),
    ...(security?.readOnlyRootFilesystem === true ? ['--read-only'] : []),
    ...(security?.allowPrivilegeEscalation === false ? ['--security-opt', 'no-new-privileges'] : []),
    ...(security?.capabilities?.drop ?? []).flatMap((name) => ['--cap-drop', name]),
    ...(container?.env ?? []).flatMap(({ name, value }) => ['--env', `${name}=${value ?? token}`]),
    ...(container?.volumeMounts ?? []).flatMap(({ name, mountPath }) =>
      memory.includes(name) ? ['--tmpfs', `${mountPath}:uid=0,gid=${fsGroup},mode=2777,size=64m`] : ['--volume', `${volume}:${mountPath}`],
    ),
  ]
}

const define = () => {
  suite('the image', { skip: lacks }, () => {
    const own = `gatehouse-deploy-${randomBytes(6).toString('hex')}`
    const [image, platform] = [`${own}:1`, `${own}-platform:1`]
    let place: string
    let pods: readonly Pod[]
    const docker = (...args: readonly string[]) => execa('docker', args, { all: true })

    before(async () => {
      place = await mkdtemp(join(tmpdir(), 'gatehouse-deploy-'))
      await chmod(place, 0o755)
      await loadLayout(await buildControlPlane(join(place, 'images')), 'docker', image)
      await using helms = await openHelms()
      const args = ['template', 'unit', chart, '--namespace', 'agents', '--values', join(chart, 'ci/least-values.yaml')]
      pods = podsOf(parseObjects((await helms.all.at(-1)?.run(args))?.out ?? ''))
    })
    after(async () => {
      for (const name of ['pod', 'platform']) await execa('docker', ['rm', '--force', `${own}-${name}`], { reject: false })
      for (const name of [image, platform]) await execa('docker', ['image', 'rm', '--force', name], { reject: false })
      await rm(place, { recursive: true, force: true })
    })

    const untilReady = (name: string): Promise<unknown> =>
      waitFor(`${name} to be ready`, 90_000, async () => {
        const { exitCode } = await execa('docker', ['exec', name, '/bin/healthy'], { reject: false })
        if (exitCode === 0) return true
        const { stdout } = await docker('inspect', '--format', '{{.State.Running}}', name)
        if (stdout !== 'true') throw new Error((await docker('logs', name)).all)
        return false
      })

    test('runs as the pod of the chart does, and passes the chart’s own helm test', async () => {
      const [unit, trial] = ['control-plane', 'test'].map((part) =>
        pods.find(({ labels }) => labels['app.kubernetes.io/component'] === part),
      )
      assert.ok(unit && trial)
      const volume = join(place, 'volume')
      await freshVolume(volume)
      await mountFor(volume, { fsGroup: unit.spec.securityContext.fsGroup ?? 0, policy: unit.spec.securityContext.fsGroupChangePolicy })
      const name = `${own}-pod`
      await docker('run', '--detach', '--name', name, ...flagsOf(unit, volume), image, ...(unit.spec.containers[0]?.args ?? []))
      await untilReady(name)
      const [program = '', ...flags] = trial.spec.containers[0]?.command ?? []
      const beside = ['--network', `container:${name}`, '--env', 'UNIT=http://127.0.0.1:8787', '--entrypoint', program]
      const said = await docker(
        'run',
        '--rm',
        ...flagsOf({ ...trial, spec: { ...trial.spec, volumes: [] } }, volume),
        ...beside,
        image,
        ...flags,
        ...(trial.spec.containers[0]?.args ?? []),
      )
      assert.match(said.all, /\/v1\/status: 401/)
      assert.equal((await lstat(join(volume, 'state'))).uid, 65532)
    })

    test('becomes the image of the platforms, which gives a volume of root to 65532 and runs as that', async () => {
      await execa('docker', ['build', '--tag', platform, '--build-arg', `GATEHOUSE_IMAGE=${image}`, folder], {
        env: { DOCKER_BUILDKIT: '0' },
      })
      const volume = join(place, 'root-volume')
      await freshVolume(volume)
      const { env } = (await readTemplates()).fly
      const set = Object.entries({ ...env, SERVICE_API_TOKEN: token }).flatMap(([name, value]) => ['--env', `${name}=${value}`])
      const name = `${own}-platform`
      await docker('run', '--detach', '--name', name, ...set, '--volume', `${volume}:${env['SERVICE_STATE_DIR']}`, platform)
      await untilReady(name)
      const { stdout } = await docker('top', name, '-eo', 'pid,uid')
      const uids = stdout
        .split('\n')
        .slice(1)
        .map((line) => line.trim().split(/\s+/)[1])
      assert.ok(uids.length > 3)
      assert.deepEqual([...new Set(uids)], ['65532'])
      assert.equal((await lstat(volume)).uid, 65532)
    })
  })
}

if (full) define()
