// Gives the reader the lines that were read as a file, one JSON document a line, oldest first.
import { type AuditEntry, visibleJson } from '@gatehouse/contracts'
import { saveFile } from '../../parts/save-file.ts'

export const saveLines = (items: readonly AuditEntry[]): void => {
  const lines = items.toReversed().map((entry) => `${visibleJson(JSON.stringify(entry))}\n`)
  saveFile(`audit-${items.at(-1)?.seq ?? 0}-${items[0]?.seq ?? 0}.jsonl`, lines.join(''))
}
