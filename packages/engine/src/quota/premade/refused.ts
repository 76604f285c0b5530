// Why a group does not get a disk of those that were made beforehand.

export class DiskRefused extends Error {
  /** True where another disk has to be made; otherwise one has to be mended. */
  readonly scarce: boolean

  constructor(message: string, { scarce = false }: { readonly scarce?: boolean } = {}) {
    super(message)
    this.scarce = scarce
  }
}
