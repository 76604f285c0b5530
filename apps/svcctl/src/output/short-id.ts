// Short ids for people: the shortest beginning that tells an id from the others of its list.

/** A change to the second, a session by three characters. Anything shorter is no easier to type. */
const least = { chg_: 18, ses_: 7 } as const

const leastOf = (id: string): number => Object.entries(least).find(([start]) => id.startsWith(start))?.[1] ?? id.length

const isUnique = (prefix: string, ids: readonly string[]): boolean => ids.filter((id) => id.startsWith(prefix)).length === 1

/** Gives the short form of each id of a list. */
export const shortIDs = (ids: readonly string[]): ((id: string) => string) => {
  const distinct = [...new Set(ids)]
  const shortened = new Map(
    distinct.map((id) => {
      for (let length = leastOf(id); length < id.length; length += 1) {
        const prefix = id.slice(0, length)
        if (!prefix.endsWith('.') && isUnique(prefix, distinct)) return [id, prefix]
      }
      return [id, id]
    }),
  )
  return (id) => shortened.get(id) ?? id
}
