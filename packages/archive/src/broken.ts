// Why an archive is not restored: always before anything is written.
import { exits } from '@gatehouse/contracts'
import { Refusal } from '@gatehouse/kernel'

const defaultHint = 'nothing was written; take another backup of this unit'

export const broken = (reason: string, hint = defaultHint, cause?: unknown): Refusal =>
  new Refusal(exits.configuration, { detail: `the archive is not restored: ${reason}`, hint, cause })
