// Puts a file in place of another: on disk before it resolves, and never half of it.
import { open, rename } from 'node:fs/promises'

export const writeAtomically = async (path: string, content: string): Promise<void> => {
  const fresh = `${path}.new`
  const file = await open(fresh, 'w', 0o600)
  try {
    await file.writeFile(content)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(fresh, path)
}
