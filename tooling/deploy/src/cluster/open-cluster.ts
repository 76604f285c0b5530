// Starts a cluster of one node on this host, in namespaces and cgroups of its own, and leaves nothing of it behind.
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { execa } from 'execa'
import * as v from 'valibot'
import { makeCgroups, removeCgroups } from './cgroups.ts'
import { kubeconfig, type Settings } from './place.ts'

export interface Cluster extends AsyncDisposable {
  readonly directory: string
  readonly kubeconfig: string
  /** Of the control-plane image that its registry has. */
  readonly digest: string
  /** A program with its arguments, to be followed by one that is to be in the network of the cluster. */
  readonly inside: readonly string[]
}

const Ready = v.strictObject({ unit: v.string() })

const namespaces = ['--mount', '--net', '--pid', '--fork', '--kill-child', '--mount-proc', '--propagation', 'private']

const start = (settings: string) => {
  const child = execa('unshare', [...namespaces, process.execPath, join(import.meta.dirname, 'main.ts'), settings], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'pipe',
    reject: false,
  })
  const { promise: ready, resolve, reject } = Promise.withResolvers<v.InferOutput<typeof Ready>>()
  createInterface({ input: child.stdout }).once('line', (line) => resolve(v.parse(Ready, JSON.parse(line))))
  void child.then(({ stderr }) => reject(new Error(`the cluster ended: ${stderr}`)))
  return { child, ready }
}

/** `programs` is where those of Kubernetes are. */
export const openCluster = async (programs: string): Promise<Cluster> => {
  const directory = await mkdtemp(join(tmpdir(), 'gh-k8s-'))
  const cgroup = `gatehouse-${randomBytes(6).toString('hex')}`
  const settings: Settings = { directory, programs, cgroup: `/${cgroup}` }
  const file = join(directory, 'settings.json')
  await writeFile(file, JSON.stringify(settings))
  await makeCgroups(cgroup)
  const { child, ready } = start(file)
  const close = async (): Promise<void> => {
    child.stdin.end()
    const { exitCode, stderr } = await child
    await removeCgroups(cgroup)
    await rm(directory, { recursive: true, force: true })
    if (exitCode !== 0) throw new Error(`the cluster ended before its time: ${stderr}`)
  }
  try {
    const inside = ['nsenter', '--target', String(child.pid), '--net']
    return { directory, kubeconfig: kubeconfig(directory, 'admin'), digest: (await ready).unit, inside, [Symbol.asyncDispose]: close }
  } catch (error) {
    await close().catch(() => undefined)
    throw error
  }
}
