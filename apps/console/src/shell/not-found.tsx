// A path below /ui/ that no page has.
import { PageHead } from '../parts/page-head.tsx'
import { Link } from '../router/link.tsx'

export const NotFound = () => (
  <>
    <PageHead title="There is no such page" />
    <p>
      <Link to={{ page: 'overview' }}>Go to the overview</Link>
    </p>
  </>
)
