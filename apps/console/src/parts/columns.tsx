// The head of a table: the names of its columns.
import type { ComponentChildren } from 'preact'

export const Columns = ({ names }: { readonly names: readonly ComponentChildren[] }) => (
  <thead>
    <tr>
      {names.map((name, place) => (
        <th key={place} scope="col">
          {name}
        </th>
      ))}
    </tr>
  </thead>
)
