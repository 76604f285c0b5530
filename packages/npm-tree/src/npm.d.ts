// The part of npm's own libraries that is used here, which bring no types along.

declare module '@npmcli/arborist' {
  export interface TreeEdge {
    readonly name: string
    readonly spec: string
    readonly type: string
    /** MISSING, INVALID, … of an edge that is not met. */
    readonly error: string | null
  }
  export interface TreeNode {
    /** `node_modules/…`, empty for the root. */
    readonly location: string
    readonly packageName: string | null
    readonly version: string
    readonly resolved: string | null
    readonly integrity: string | null
    readonly isRoot: boolean
    readonly isLink: boolean
    /** Comes in the tarball of the package above it. */
    readonly inBundle: boolean
    /** Optional, and not for this machine. */
    readonly inert?: boolean
    readonly getBundler: () => TreeNode | null
    readonly edgesOut: ReadonlyMap<string, TreeEdge>
  }
  export class Arborist {
    constructor(options: Readonly<Record<string, unknown>>)
    buildIdealTree(options: Readonly<Record<string, unknown>>): Promise<{ readonly inventory: { values(): Iterable<TreeNode> } }>
  }
}

declare module 'npm-package-arg' {
  export default function parse(spec: string): {
    readonly type: string
    readonly name: string | null
  }
}

declare module 'pacote' {
  export const tarball: {
    stream<T>(spec: string, act: (stream: NodeJS.ReadableStream) => Promise<T>, options: Readonly<Record<string, unknown>>): Promise<T>
  }
}
