// Types for the parts of npm's libraries that are used here; the libraries have none.

declare module '@npmcli/arborist' {
  export interface TreeEdge {
    readonly name: string
    readonly spec: string
    readonly type: string
    /** MISSING, INVALID, … for an unmet dependency. */
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
    /** Bundled in the tarball of a parent package. */
    readonly inBundle: boolean
    /** Optional and not for this platform. */
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
