// Cuts a list of messages where its JSON would grow beyond a size. The first always passes.

export const withinBytes = <M extends { readonly text: string }>(messages: readonly M[], most: number): M[] => {
  let bytes = 0
  const end = messages.findIndex((message, index) => {
    bytes += Buffer.byteLength(JSON.stringify(message))
    return index > 0 && bytes > most
  })
  return end === -1 ? [...messages] : messages.slice(0, end)
}
