// A short table of tool calls for the page of what they belong to, which says what its middle columns show.
import type { CallRecord } from '@gatehouse/contracts'
import type { ComponentChildren } from 'preact'
import { Columns } from '../../components/list.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { formatDuration } from '../../components/units.ts'
import { OutcomeTag } from './outcome.tsx'

interface Column {
  readonly name: string
  readonly cell: (call: CallRecord) => ComponentChildren
}

export const RecentCalls = ({ calls, columns }: { readonly calls: readonly CallRecord[]; readonly columns: readonly Column[] }) => (
  <table>
    <Columns names={['When', 'Outcome', ...columns.map(({ name }) => name), 'Latency']} />
    <tbody>
      {calls.map((call) => (
        <tr key={call.id} data-row>
          <td>
            <RelativeTime at={call.time} />
          </td>
          <td>
            <OutcomeTag outcome={call.status} code={call.code} />
          </td>
          {columns.map(({ name, cell }) => (
            <td key={name}>{cell(call)}</td>
          ))}
          <td>{formatDuration(call.duration)}</td>
        </tr>
      ))}
    </tbody>
  </table>
)
