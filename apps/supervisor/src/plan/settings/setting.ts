// The type of a row of settings: what the kernel reads, and what `--help` and the reference print of it.
import type { Setting } from '@gatehouse/kernel'

export interface Documentation {
  /** The heading below which it is listed. */
  readonly group: 'Unit' | 'API' | 'Changes and records' | 'Sandboxes' | 'Tool servers' | 'Outbound connections' | 'Models' | 'Channels'
  /** Stands for the value of a flag, such as `HOST:PORT`. */
  readonly value?: string
  readonly help: string
  /** What holds without it, where the mode or the host decides that. */
  readonly without?: string
}

export type DocumentedSetting = Setting & Documentation
export type DocumentedSettings = Readonly<Record<string, DocumentedSetting>>
