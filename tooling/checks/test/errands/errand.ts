// The type of an errand: what a contributor edits to add one thing, and how a forgotten place is noticed.

export type Edit =
  /** A new file. */
  | { readonly file: string; readonly create: string }
  /** Lines after an anchor, which the file has exactly once. */
  | { readonly file: string; readonly after: string; readonly insert: string }
  | { readonly file: string; readonly replace: string; readonly by: string }

export interface Errand {
  /** Its row in the map of CONTRIBUTING, to the letter. */
  readonly task: string
  /** The edits that give the thing its name. With them alone, every place below `forgotten` is an error of types. */
  readonly name: readonly Edit[]
  readonly rest: readonly Edit[]
  /** Files of tests, which are not counted. */
  readonly tests?: readonly Edit[]
  /** A folder of its own, which is not counted. */
  readonly folder?: string
  /** Files that may be edited, `folder`, tests and written files apart. */
  readonly most: number
  /** Files with an error of types while only `name` is done, and what the error says. */
  readonly forgotten: readonly (readonly [file: string, error: RegExp])[]
  /** Pages of docs/reference in which the thing appears by itself. */
  readonly shown: readonly (readonly [page: string, text: RegExp])[]
}
