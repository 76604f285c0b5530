// What a queue takes of the disk, room of removed messages apart.
import type { Rows } from '@gatehouse/store'

export const bytesIn = async (rows: Rows): Promise<number> => {
  const row = await rows.get<{ bytes: number }>(
    `SELECT (pages.page_count - unused.freelist_count) * size.page_size AS bytes
       FROM pragma_page_count AS pages, pragma_freelist_count AS unused, pragma_page_size AS size`,
  )
  return row?.bytes ?? 0
}
