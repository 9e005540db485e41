/** The account: sites, usage, password, sessions, and the end of it. */
import { Badge, Title } from '@mantine/core'
import type { DashboardState } from '../api/answers.ts'
import { text } from '../text/text.ts'
import { DeleteCard, PasswordCard, SessionsCard } from './security-cards.tsx'
import { SitesCard } from './sites-card.tsx'
import { UsageCard } from './usage-card.tsx'
import './account.css'

export default function AccountPage({ state }: { readonly state: DashboardState }) {
  const { account, sites } = state
  if (!account) return null
  return (
    <div className="stack">
      <div className="page-head">
        <Title order={1}>{text.account.title}</Title>
        <span className="account-line">
          <span className="dimmed">{account.email}</span>
          <Badge variant="light">{text.account[account.plan]}</Badge>
          {account.isOwner && <Badge variant="outline">{text.account.owner}</Badge>}
        </span>
      </div>
      <SitesCard sites={sites} />
      <div className="tables">
        <UsageCard />
        <PasswordCard email={account.email} />
        <SessionsCard />
        <DeleteCard isOwner={account.isOwner} />
      </div>
    </div>
  )
}
