// A path below /ui/ that no page has.
import { PageHead } from '../parts/page-head.tsx'
import { Link } from '../router/link.tsx'

export const NotFound = () => (
  <>
    <PageHead title="There is no such page" about="The address names a page that this console does not have." />
    <p>
      <Link to={{ page: 'overview' }}>Go to the overview</Link>
    </p>
  </>
)
