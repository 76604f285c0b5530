// A tree of npm packages: what is asked for, and the whole tree that it resolves to, with the digest of every tarball.
import * as v from 'valibot'
import { limits } from '../limits.ts'

const name = '(?:@[a-z0-9][a-z0-9._-]*/)?[a-z0-9_][A-Za-z0-9._-]*'
const version = '\\d+\\.\\d+\\.\\d+(?:[-+][A-Za-z0-9.+-]+)?'

/** `name@1.2.3`: one version and no range, tag, address or alias. */
export const PackageName = v.pipe(
  v.string(),
  v.maxLength(256),
  v.regex(new RegExp(`^${name}@${version}$`), 'expected <name>@<exact version>, such as left-pad@1.3.0'),
)
export type PackageName = v.InferOutput<typeof PackageName>

/** All packages of the group by name: those that are not named go. What each brings along is resolved by the host. */
export const Packages = v.strictObject({
  npm: v.pipe(
    v.array(PackageName),
    v.maxLength(limits.treeNames),
    v.check((names) => new Set(names.map((one) => one.slice(0, one.lastIndexOf('@')))).size === names.length, 'expected each package once'),
  ),
})

/** One package of a tree. Its tarball's digest is our own, taken after the registry's had been found right. */
export const LockedPackage = v.strictObject({
  /** Where it lies below the tree. */
  path: v.pipe(
    v.string(),
    v.maxLength(1024),
    v.regex(new RegExp(`^node_modules/${name}(?:/node_modules/${name})*$`), 'expected node_modules/…'),
  ),
  name: v.pipe(v.string(), v.maxLength(214), v.regex(new RegExp(`^${name}$`), 'expected the name of a package')),
  version: v.pipe(v.string(), v.maxLength(256), v.regex(new RegExp(`^${version}$`), 'expected an exact version')),
  tarball: v.pipe(v.string(), v.maxLength(2048), v.url()),
  integrity: v.pipe(v.string(), v.regex(/^sha512-[A-Za-z0-9+/]{86}==$/, 'expected sha512-…')),
  /** Files in machine code. */
  binaries: v.array(v.string()),
  /** Scripts that an installation by npm would run. None is run here. */
  scripts: v.array(v.string()),
  /** Packages that its tarball carries along. */
  bundled: v.array(v.string()),
})
export type LockedPackage = v.InferOutput<typeof LockedPackage>

/** In the order of the paths, so that one tree has one digest. */
export const PackageLock = v.strictObject({
  packages: v.pipe(v.array(LockedPackage), v.maxLength(limits.treePackages)),
  /** Bytes of all files. */
  bytes: v.number(),
})
export type PackageLock = v.InferOutput<typeof PackageLock>

/** Why no tree can be had. */
export const TreeRefusal = v.strictObject({ rule: v.pipe(v.string(), v.maxLength(64)), reason: v.pipe(v.string(), v.maxLength(4096)) })
export type TreeRefusal = v.InferOutput<typeof TreeRefusal>

/** What these names resolve to. */
export const TreeSighting = v.union([
  v.strictObject({ names: v.array(PackageName), lock: PackageLock }),
  v.strictObject({ names: v.array(PackageName), refused: TreeRefusal }),
])
export type TreeSighting = v.InferOutput<typeof TreeSighting>
