// Lines of a mount table, as `mount --all --fstab` reads them.

export interface StageMount {
  /** Absolute path on the host, `tmpfs` or `overlay`. */
  readonly source: string
  readonly target: string
  readonly options: readonly string[]
}

const kinds: ReadonlySet<string> = new Set(['tmpfs', 'overlay'])
const escapes: Readonly<Record<string, string>> = { ' ': '\\040', '\t': '\\011', '\n': '\\012', '\\': '\\134' }

const field = (text: string): string => text.replaceAll(/[ \t\n\\]/g, (character) => escapes[character] ?? '')

/** A comma would end an option, so it is refused rather than quoted: none of ours holds one. */
export const renderFstab = (mounts: readonly StageMount[]): string =>
  mounts
    .map(({ source, target, options }) => {
      const type = kinds.has(source) ? source : 'none'
      return `${field(source)} ${field(target)} ${type} ${options.join(',')} 0 0\n`
    })
    .join('')

export const hardened = ['nosuid', 'nodev', 'noexec'] as const
