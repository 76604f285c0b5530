// The Pod that brings a backup back, as the page about Kubernetes has it: what Kubernetes and the house ask of it, and, in the full
// profile, its lines typed into the control-plane image, by Docker in the place of a cluster.
// Profile: rest. One way to deploy, on a container engine.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { chmod, lstat, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, suite, test } from 'node:test'
import { release, startUnit } from '@gatehouse/end-to-end'
import { loadLayout } from '@gatehouse/images/load'
import { buildControlPlane } from '@gatehouse/images/trial'
import { execa } from 'execa'
import { parse } from 'yaml'
import { emptyDirectory, freshVolume, mountFor } from './chart/kubelet.ts'
import { house } from './chart/house.ts'
import { type KubernetesObject, parseObjects, type Pod, podsOf } from './chart/objects.ts'
import { violations } from './chart/pod-security.ts'
import { readChecks } from './chart/schemas.ts'
import { root } from './files.ts'

const full = process.env['GATEHOUSE_PROFILE'] === 'full'
const engine = full && (await execa('docker', ['info'], { reject: false }).then(({ exitCode }) => exitCode === 0))
const lacks = process.getuid?.() === 0 && engine ? false : 'needs root and a Docker Engine, install with: apt-get install -y docker.io'

/** Rules of the house about any pod. */
const ofPods = ['ownUid', 'privateState', 'readOnlyRoot', 'noAccount', 'noServiceLinks', 'imageByDigest', 'limited', 'noSecretInPlain']
const id = 65_532

let page: string
let objects: KubernetesObject[]
let pod: Pod
before(async () => {
  page = await readFile(join(root, 'docs/how-to/kubernetes.md'), 'utf8')
  objects = parseObjects(/^```yaml test file=restore\.yaml\n(.*?)^```$/ms.exec(page)?.[1] ?? '')
  pod = podsOf(objects)[0] ?? assert.fail('expected a Pod on the page')
})

test('the Pod that brings a backup back fits the schemas, the restricted standard and the rules of the house', async () => {
  for (const [version, check] of await readChecks()) for (const object of objects) assert.deepEqual(check(object), [], version)
  assert.deepEqual(violations(pod), [])
  for (const name of ofPods) assert.deepEqual(house[name]?.(objects), [], name)
})

test('the Pod that brings a backup back is restricted as the chart restricts its own', async () => {
  const text = await readFile(join(root, 'charts/gatehouse/templates/_settings.tpl'), 'utf8')
  const defined = (name: string): unknown =>
    parse(new RegExp(`define "gatehouse\\.${name}" -\\}\\}\\n(.*?)\\{\\{- end`, 's').exec(text)?.[1] ?? '')
  const [{ spec } = {}] = objects
  const { securityContext, containers } = spec as { securityContext: unknown; containers: { securityContext: unknown }[] }
  assert.deepEqual(securityContext, defined('podSecurity'))
  assert.deepEqual(containers[0]?.securityContext, defined('containerSecurity'))
})

/** kubectl's `exec` in the words of docker. */
const standIn = (container: string): string => `#!/usr/bin/env bash
set -eu
[[ "$1 $2 $3" == '--namespace agents exec' ]]
shift 3
flags=()
[[ $1 != --stdin ]] || { flags=(--interactive); shift; }
[[ "$1 $2" == 'gatehouse-restore --' ]]
shift 2
exec docker exec "\${flags[@]}" ${container} "$@"
`

const take = async (place: string): Promise<void> => {
  await execa('age-keygen', ['-o', join(place, 'key.txt')])
  const { stdout: recipient } = await execa('age-keygen', ['-y', join(place, 'key.txt')])
  const unit = await startUnit({ flags: ['--sandbox', 'off'] })
  try {
    const env = { SERVICE_API_URL: unit.address, SERVICE_API_TOKEN_FILE: join(unit.stateDir, 'admin-token') }
    await execa(join(release, 'bin/svcctl'), ['backup', '--recipient', recipient, '--out', join(place, 'unit.age')], { env })
  } finally {
    await unit.dispose()
  }
}

const typed = async (): Promise<void> => {
  const name = `gatehouse-restore-${randomBytes(6).toString('hex')}`
  const place = await mkdtemp(join(tmpdir(), 'gatehouse-restore-'))
  try {
    await chmod(place, 0o755)
    await loadLayout(await buildControlPlane(join(place, 'images')), 'docker', `${name}:1`)
    await take(place)
    const volume = join(place, 'volume')
    await freshVolume(volume)
    await mountFor(volume, { fsGroup: id, policy: 'OnRootMismatch' })
    await mkdir(join(volume, 'state'), { mode: 0o700 })
    await execa('chown', [`${id}:${id}`, join(volume, 'state')])
    for (const folder of ['archive', 'key']) await emptyDirectory(join(place, folder), id)
    const [container] = pod.spec.containers
    const mounts = (container?.volumeMounts ?? []).flatMap((mount) => [
      '--volume',
      `${join(place, mount.name === 'state' ? 'volume' : mount.name)}:${mount.mountPath}`,
    ])
    const [program = '', ...args] = container?.command ?? []
    const walls = `--user ${id}:${id} --read-only --cap-drop ALL --security-opt no-new-privileges --network none --memory 512m`.split(' ')
    await execa('docker', ['run', '--detach', '--name', name, ...walls, ...mounts, '--entrypoint', program, `${name}:1`, ...args])
    const block = [...page.matchAll(/^```sh test\n(.*?)^```$/gms)]
      .map(([, text = '']) => text)
      .find((text) => text.includes('/bin/gatehouse restore'))
    await writeFile(join(place, 'kubectl'), standIn(name), { mode: 0o755 })
    const { stdout } = await execa('bash', ['-euc', block ?? 'false'], { cwd: place, env: { PATH: `${place}:${process.env['PATH']}` } })
    assert.match(stdout, /the unit will be frozen when it starts/)
    const { uid, mode } = await lstat(join(volume, 'state'))
    assert.deepEqual([uid, mode & 0o777], [id, 0o700])
    assert.match(await readFile(join(volume, 'state/host-acts.json'), 'utf8'), /"restored"/)
    assert.ok((await lstat(join(volume, 'state.newer'))).isDirectory())
    const { exitCode } = await execa('docker', ['stop', name], { reject: false })
    assert.equal(exitCode, 0)
    const ended = await execa('docker', ['inspect', '--format', '{{.State.ExitCode}}', name])
    assert.equal(ended.stdout, '0', 'it ends when it is told to')
  } finally {
    await execa('docker', ['rm', '--force', name], { reject: false })
    await execa('docker', ['image', 'rm', '--force', `${name}:1`], { reject: false })
    await rm(place, { recursive: true, force: true })
  }
}

if (full)
  suite('the lines that bring a backup back', { skip: lacks }, () => {
    test('restore in the image, under what the Pod may do, into the volume of a claim', { timeout: 300_000 }, typed)
  })
