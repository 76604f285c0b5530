// Describes a container engine of the host: its release, runtimes and capabilities.
import { jsonBounds } from '@gatehouse/contracts'
import { jsonText } from '@gatehouse/kernel'
import * as v from 'valibot'
import { callEngine, type Engine, unresponsiveReason } from './client.ts'

const Runtime = v.looseObject({
  path: v.optional(v.string(), ''),
  runtimeArgs: v.optional(v.nullable(v.array(v.string())), []),
  runtimeType: v.optional(v.string(), ''),
})
const DockerInfo = v.looseObject({
  ServerVersion: v.pipe(v.string(), v.minLength(1)),
  DefaultRuntime: v.string(),
  Runtimes: v.record(v.string(), Runtime),
  MemoryLimit: v.boolean(),
  PidsLimit: v.boolean(),
  CpuCfsQuota: v.boolean(),
  CgroupDriver: v.optional(v.string(), ''),
})
const PodmanInfo = v.looseObject({ host: v.looseObject({ ociRuntime: v.looseObject({ name: v.string() }) }) })

type Client = Pick<Engine, 'file' | 'global'>
type Answer = { readonly engine: Engine } | { readonly refused: string }

const ownUser = (): Engine['user'] => {
  const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0]
  return uid === 0 ? null : { uid, gid }
}

const isGvisor = (name: string, runtime: { path: string; runtimeType: string }): boolean =>
  /runsc|gvisor/.test(`${name} ${runtime.path} ${runtime.runtimeType}`)

/** Without it a sandbox under gVisor cannot connect to its mounted sockets. */
const opensSockets = (args: readonly string[]): boolean => args.some((arg) => /^--?(host-uds=(open|all)|fsgofer-host-uds)/.test(arg))

export const describeDocker = async (file: string, wanted: string | null): Promise<Answer> => {
  const called = await callEngine({ file, global: [] }, ['info', '--format', '{{json .}}'])
  const parsed = v.safeParse(v.pipe(jsonText(jsonBounds.engineOutput), DockerInfo), called.stdout)
  if (!parsed.success) return { refused: `docker ${unresponsiveReason(called.stderr).reason}: start dockerd, or join its group` }
  const info = parsed.output
  const name = wanted ?? info.DefaultRuntime
  const runtime = info.Runtimes[name]
  if (runtime === undefined) {
    return {
      refused: `docker knows no runtime ${name}, only ${Object.keys(info.Runtimes).toSorted().join(', ')}: add it to "runtimes" in /etc/docker/daemon.json`,
    }
  }
  const args = runtime.runtimeArgs ?? []
  const gvisor = isGvisor(name, runtime)
  if (gvisor && runtime.path !== '' && !opensSockets(args)) {
    return {
      refused: `docker's runtime ${name} blocks the sockets of sandboxes: add "--host-uds=open" to its "runtimeArgs" in /etc/docker/daemon.json`,
    }
  }
  const limits = info.MemoryLimit && info.PidsLimit && info.CpuCfsQuota && !args.some((arg) => /^--?ignore-cgroups(=true)?$/.test(arg))
  const filters = !gvisor || args.some((arg) => /^--?oci-seccomp(=true)?$/.test(arg))
  return {
    engine: {
      name: 'docker',
      label: `docker with ${name}`,
      file,
      global: [],
      runtime: wanted,
      gvisor,
      filters,
      limits,
      takesParent: info.CgroupDriver === 'cgroupfs',
      user: ownUser(),
    },
  }
}

const gvisorFlags = ['network=none', 'host-uds=open', 'oci-seccomp'].flatMap((flag) => ['--runtime-flag', flag])

export const describePodman = async (file: string, wanted: string | null): Promise<Answer> => {
  const global = wanted === null ? [] : ['--runtime', wanted]
  const called = await callEngine({ file, global }, ['info', '--format', 'json'])
  const parsed = v.safeParse(v.pipe(jsonText(jsonBounds.engineOutput), PodmanInfo), called.stdout)
  if (!parsed.success) return { refused: `podman ${global.join(' ')} does not work: ${called.stderr.trim().slice(0, 300)}` }
  const { name: runtime } = parsed.output.host.ociRuntime
  const gvisor = /runsc|gvisor/.test(runtime)
  return {
    engine: {
      name: 'podman',
      label: `podman with ${runtime}`,
      filters: true,
      file,
      global: [...global, ...(gvisor ? gvisorFlags : [])],
      runtime: null,
      gvisor,
      limits: true,
      takesParent: true,
      user: ownUser(),
    },
  }
}

/** Uses containerd, whose runtimes have long names. */
export const describeNerdctl = async ({ file, global }: Client, wanted: string | null): Promise<Answer> => {
  const called = await callEngine({ file, global }, ['info', '--format', '{{json .}}'])
  if (!called.ok) return { refused: `nerdctl does not answer (${called.stderr.trim().slice(0, 300) || 'no containerd'}): start containerd` }
  const gvisor = wanted !== null && /runsc|gvisor/.test(wanted)
  const runtime = wanted === 'runsc' ? 'io.containerd.runsc.v1' : wanted
  const label = `nerdctl with ${wanted ?? 'runc'}`
  return {
    engine: {
      name: 'nerdctl',
      label,
      file,
      global,
      runtime,
      gvisor,
      filters: !gvisor,
      limits: !gvisor,
      takesParent: true,
      user: ownUser(),
    },
  }
}
