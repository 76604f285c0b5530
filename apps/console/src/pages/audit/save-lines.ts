// Gives the reader the lines that were read as a file, one JSON document a line, oldest first.
import { type AuditEntry, visibleJson } from '@gatehouse/contracts'

export const saveLines = (items: readonly AuditEntry[]): void => {
  const text = items
    .toReversed()
    .map((entry) => `${visibleJson(JSON.stringify(entry))}\n`)
    .join('')
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type: 'application/x-ndjson' }))
  link.download = `audit-${items.at(-1)?.seq ?? 0}-${items[0]?.seq ?? 0}.jsonl`
  link.click()
  URL.revokeObjectURL(link.href)
}
