/** For addresses that lead nowhere, or no longer. */
import { Anchor, Title } from '@mantine/core'
import { linkTo } from '../router.ts'
import { text } from '../text/text.ts'

export function MissingPage({ isSite = false }: { readonly isSite?: boolean }) {
  return (
    <div className="quiet-page">
      <Title order={1}>{isSite ? text.missing.site : text.missing.page}</Title>
      {isSite && <p>{text.missing.siteLead}</p>}
      <Anchor {...linkTo('/')}>{text.missing.home}</Anchor>
    </div>
  )
}
