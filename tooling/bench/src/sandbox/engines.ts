// The engines of this host as they start the agent by themselves, with as little as it needs, and the flags by which a unit takes them.
import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { release } from '@gatehouse/end-to-end'
import { execa } from 'execa'

export interface Engine {
  readonly name: string
  readonly flags: readonly string[]
  /** Programs that it needs. */
  readonly needs: readonly string[]
  /** The command line that starts the agent, with `session` where its socket is looked for. */
  start(place: Place): Promise<readonly string[]>
  /** Ends what that started. */
  end(place: Place): Promise<void>
}

export interface Place {
  /** Private; `session.sock` lies in it below `session`. */
  readonly directory: string
  readonly id: string
}

const rootfs = join(release, 'rootfs')
const program = ['/bin/node', '/agent/agent.mjs'] as const
const inside = '/run/gatehouse/session'
const sessionOf = ({ directory }: Place): string => join(directory, 'session')

const nothing = async (): Promise<void> => undefined

const bubblewrap: Engine = {
  name: 'bubblewrap',
  flags: ['--sandbox', 'bubblewrap'],
  needs: ['bwrap'],
  start: async (place) => {
    const mounts = ['--ro-bind', rootfs, '/', '--proc', '/proc', '--dev', '/dev', '--ro-bind', sessionOf(place), inside]
    return ['bwrap', '--unshare-all', '--die-with-parent', '--clearenv', ...mounts, '--', ...program]
  },
  end: nothing,
}

const bundleOf = (place: Place): object => ({
  ociVersion: '1.0.2',
  process: { user: { uid: 0, gid: 0 }, args: program, env: ['PATH=/bin'], cwd: '/' },
  root: { path: rootfs, readonly: true },
  mounts: [
    { destination: '/proc', type: 'proc', source: 'proc' },
    { destination: '/dev', type: 'tmpfs', source: 'tmpfs' },
    { destination: inside, type: 'bind', source: sessionOf(place), options: ['bind', 'ro'] },
  ],
  linux: { namespaces: ['pid', 'network', 'ipc', 'uts', 'mount'].map((type) => ({ type })) },
})

const oci = (runtime: 'runc' | 'runsc'): Engine => {
  const own = runtime === 'runsc' ? ['--network=none', '--host-uds=open', '--ignore-cgroups'] : []
  const command = ({ directory }: Place): string[] => [runtime, '--root', join(directory, runtime), ...own]
  return {
    name: `oci with ${runtime}`,
    flags: ['--sandbox', 'oci', '--sandbox-runtime', runtime],
    needs: [runtime],
    start: async (place) => {
      const bundle = join(place.directory, place.id)
      await mkdir(bundle)
      await writeFile(join(bundle, 'config.json'), JSON.stringify(bundleOf(place)))
      return [...command(place), 'run', '--bundle', bundle, place.id]
    },
    end: async (place) => {
      const [file = runtime, ...args] = command(place)
      await execa(file, [...args, 'delete', '--force', place.id], { reject: false })
    },
  }
}

const tag = `gatehouse-bench-${randomBytes(4).toString('hex')}:1`

const docker = (runtime: 'runc' | 'runsc'): Engine => ({
  name: `docker with ${runtime}`,
  flags: ['--sandbox', 'container', '--sandbox-runtime', runtime],
  needs: ['docker', runtime],
  start: async (place) => {
    const own = ['--runtime', runtime, '--network', 'none', '--log-driver', 'none', '--volume', `${sessionOf(place)}:${inside}:ro`]
    return ['docker', 'run', '--rm', '--name', place.id, ...own, tag, ...program]
  },
  end: async ({ id }) => {
    await execa('docker', ['rm', '--force', id], { reject: false })
  },
})

/** What Docker starts; returns how it goes again. */
export const importImage = async (): Promise<() => Promise<unknown>> => {
  const reject = false
  await execa('tar', ['-C', rootfs, '-cf', '-', '.'], { reject, encoding: 'buffer', buffer: false }).pipe('docker', ['import', '-', tag], {
    reject,
  })
  return () => execa('docker', ['image', 'rm', '--force', tag], { reject })
}

export const engines: readonly Engine[] = [bubblewrap, oci('runc'), oci('runsc'), docker('runc'), docker('runsc')]
