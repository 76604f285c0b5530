// Mounts before and after a change: the host path, what the runner found there, and the path in the sandbox.
import type { Evidence, Mount } from '@gatehouse/contracts'
import { Untrusted } from '../elements.tsx'
import type { DiffMark } from './diff-mark.ts'
import { Marked } from './marked.tsx'

interface MountsProps {
  readonly before: readonly Mount[]
  readonly after: readonly Mount[]
  readonly evidence: Evidence | null
}

interface Row {
  readonly mount: Mount
  readonly turn: DiffMark
}

const isSame = (one: Mount, other: Mount): boolean => one.source === other.source && one.target === other.target && one.mode === other.mode

const rowsOf = (before: readonly Mount[], after: readonly Mount[]): Row[] => [
  ...after.filter((mount) => !before.some((had) => isSame(had, mount))).map((mount) => ({ mount, turn: 'gained' as const })),
  ...before.filter((mount) => !after.some((has) => isSame(has, mount))).map((mount) => ({ mount, turn: 'lost' as const })),
  ...after.filter((mount) => before.some((had) => isSame(had, mount))).map((mount) => ({ mount, turn: 'kept' as const })),
]

type Sighting = Extract<Evidence, { status: 'sighted' }>['mounts'][number]

const sightingOf = (evidence: Evidence | null, source: string): Sighting | undefined =>
  evidence?.status === 'sighted' ? evidence.mounts.find((mount) => mount.source === source) : undefined

const ownerOf = (owner: number | undefined): string =>
  owner === undefined ? '' : owner === 0 ? ', owned by root' : `, owned by uid ${owner}`

const Seen = ({ source, sighting }: { readonly source: string; readonly sighting: Sighting }) => (
  <span class="soft">
    {sighting.real === undefined ? 'not found' : `a ${sighting.type ?? 'thing'}${ownerOf(sighting.owner)}, mode ${sighting.mode ?? '?'}`}
    {sighting.real !== undefined && sighting.real !== source && (
      <strong>
        , resolves to <Untrusted text={sighting.real} />
      </strong>
    )}
  </span>
)

const Path = ({ path }: { readonly path: string }) => {
  const parts = path.split('/').filter((part) => part !== '')
  return (
    <code class="tree">
      {parts.map((part, depth) => (
        <span key={depth} class={depth === parts.length - 1 ? 'leaf' : 'branch'}>
          {'/'}
          <Untrusted text={part} />
        </span>
      ))}
    </code>
  )
}

export const MountsDiff = ({ before, after, evidence }: MountsProps) => (
  <ul class="marks">
    {rowsOf(before, after).map(({ mount, turn }) => {
      const sighting = sightingOf(evidence, mount.source)
      return (
        <Marked key={`${turn} ${mount.target}`} turn={turn}>
          <Path path={mount.source} />{' '}
          <span class={mount.mode === 'rw' ? 'tag bad' : 'tag good'}>{mount.mode === 'rw' ? 'read and write' : 'read-only'}</span>
          <div>
            in the sandbox <code>{mount.target}</code>
          </div>
          {sighting !== undefined && <Seen source={mount.source} sighting={sighting} />}
        </Marked>
      )
    })}
    {before.length + after.length === 0 && <li class="soft">No mounts, before or after.</li>}
  </ul>
)
