// What waits, how every part fares, and the last hour.
import { PageHead } from '../../parts/page-head.tsx'
import { FrozenNote } from '../../parts/list-frame.tsx'
import { Health } from './health.tsx'
import { LastHour } from './last-hour.tsx'
import { Waiting } from './waiting.tsx'
import './overview.css'

export const Overview = () => (
  <>
    <PageHead title="Overview" />
    <FrozenNote />
    <Waiting />
    <Health />
    <LastHour />
  </>
)
