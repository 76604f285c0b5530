// Gives the reader bytes as a file to save. What they are is left to the reader: the browser opens nothing.

export const saveFile = (name: string, bytes: Uint8Array<ArrayBuffer>): void => {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([bytes], { type: 'application/octet-stream' }))
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}
