// npm packages of a group: the requested names and the resolved tree with the digest of every tarball.
import * as v from 'valibot'
import { limits } from '../limits.ts'

const name = '(?:@[a-z0-9][a-z0-9._-]*/)?[a-z0-9_][A-Za-z0-9._-]*'
const version = '\\d+\\.\\d+\\.\\d+(?:[-+][A-Za-z0-9.+-]+)?'

/** `name@1.2.3`: an exact version, not a range, tag, URL or alias. */
export const PackageName = v.pipe(
  v.string(),
  v.maxLength(256),
  v.regex(new RegExp(`^${name}@${version}$`), 'expected <name>@<exact version>, such as left-pad@1.3.0'),
)
export type PackageName = v.InferOutput<typeof PackageName>

/** The full list of packages of the group. Packages that are not listed are removed. The host resolves dependencies. */
export const Packages = v.strictObject({
  npm: v.pipe(
    v.array(PackageName),
    v.maxLength(limits.treeNames),
    v.check(
      (names) => new Set(names.map((one) => one.slice(0, one.lastIndexOf('@')))).size === names.length,
      'each package must occur only once',
    ),
  ),
})

/** A package of a tree. The unit computed the digest of its tarball after it verified the digest of the registry. */
export const LockedPackage = v.strictObject({
  /** Path in the tree. */
  path: v.pipe(
    v.string(),
    v.maxLength(1024),
    v.regex(new RegExp(`^node_modules/${name}(?:/node_modules/${name})*$`), 'expected node_modules/…'),
  ),
  name: v.pipe(v.string(), v.maxLength(214), v.regex(new RegExp(`^${name}$`), 'expected the name of a package')),
  version: v.pipe(v.string(), v.maxLength(256), v.regex(new RegExp(`^${version}$`), 'expected an exact version')),
  tarball: v.pipe(v.string(), v.maxLength(2048), v.url()),
  integrity: v.pipe(v.string(), v.regex(/^sha512-[A-Za-z0-9+/]{86}==$/, 'expected sha512-…')),
  /** Compiled binary files. */
  binaries: v.array(v.string()),
  /** Install scripts that npm would run. None of them is run. */
  scripts: v.array(v.string()),
  /** Packages bundled in its tarball. */
  bundled: v.array(v.string()),
})
export type LockedPackage = v.InferOutput<typeof LockedPackage>

/** Sorted by path, so that a tree has one digest. */
export const PackageLock = v.strictObject({
  packages: v.pipe(v.array(LockedPackage), v.maxLength(limits.treePackages)),
  /** Total bytes of all files. */
  bytes: v.number(),
})
export type PackageLock = v.InferOutput<typeof PackageLock>

/** The reason why the packages cannot be resolved. */
export const TreeRefusal = v.strictObject({ rule: v.pipe(v.string(), v.maxLength(64)), reason: v.pipe(v.string(), v.maxLength(4096)) })
export type TreeRefusal = v.InferOutput<typeof TreeRefusal>

/** The tree that these names resolve to. */
export const TreeSighting = v.union([
  v.strictObject({ names: v.array(PackageName), lock: PackageLock }),
  v.strictObject({ names: v.array(PackageName), refused: TreeRefusal }),
])
export type TreeSighting = v.InferOutput<typeof TreeSighting>
