// Requested packages and the whole dependency tree.
import type { Evidence } from '@gatehouse/contracts'
import { Collapsible, Untrusted } from '../elements.tsx'
import { diffNames } from './diff-mark.ts'
import { Marked } from './marked.tsx'
import { type PackageNode, packageTree } from './package-tree.ts'

interface PackagesProps {
  readonly before: readonly string[]
  readonly after: readonly string[]
  readonly evidence: Evidence | null
}

const Node = ({ node: { locked, children } }: { readonly node: PackageNode }) => (
  <li>
    <code>
      <Untrusted text={`${locked.name}@${locked.version}`} />
    </code>{' '}
    {locked.binaries.length > 0 && <span class="tag bad">native code</span>}
    {locked.bundled.length > 0 && <span class="tag warn">bundles others</span>}
    <div class="soft small">
      <Untrusted text={locked.tarball} />
    </div>
    {children.length > 0 && <Nodes nodes={children} />}
  </li>
)

const Nodes = ({ nodes }: { readonly nodes: readonly PackageNode[] }) => (
  <ul class="branches">
    {nodes.map((node) => (
      <Node key={node.locked.path} node={node} />
    ))}
  </ul>
)

const Tree = ({ evidence }: { readonly evidence: Extract<Evidence, { status: 'resolved' }> }) => {
  const { packages, bytes } = evidence.lock
  return (
    <Collapsible open={packages.length <= 20} summary={`Whole tree: ${packages.length} packages, ${Math.ceil(bytes / 1024)} KiB`}>
      {() => <Nodes nodes={packageTree(packages)} />}
    </Collapsible>
  )
}

export const PackagesDiff = ({ before, after, evidence }: PackagesProps) => (
  <>
    <ul class="marks">
      {diffNames(before, after).map(({ name, turn }) => (
        <Marked key={name} turn={turn}>
          <code>
            <Untrusted text={name} />
          </code>
        </Marked>
      ))}
    </ul>
    {evidence?.status === 'resolved' && <Tree evidence={evidence} />}
  </>
)
