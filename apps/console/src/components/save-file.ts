// Offers a file for download. The browser never opens it.
import { visible } from '@gatehouse/contracts'

/** Agents name files too: a name that would read as another one is written out. */
export const saveFile = (name: string, content: BlobPart): void => {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([content], { type: 'application/octet-stream' }))
  link.download = visible(name)
  link.click()
  URL.revokeObjectURL(link.href)
}
