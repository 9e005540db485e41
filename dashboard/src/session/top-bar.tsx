/** The bar on top: the site in view, the other pages, and the person. */
import { ActionIcon, Anchor, Button, Menu, useMantineColorScheme } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import type { DashboardState } from '../api/answers.ts'
import { api } from '../api/client.ts'
import { CheckIcon, ChevronIcon, Logo, MenuIcon, PlusIcon, SunIcon } from '../parts/icons.tsx'
import { stateQuery } from '../queries.ts'
import { linkTo, navigate, siteIdOf, sitePath, usePlace } from '../router.ts'
import { text } from '../text/text.ts'
import './top-bar.css'

interface TopBarProps {
  readonly state: DashboardState
  readonly account: NonNullable<DashboardState['account']>
}

export function TopBar({ state, account }: TopBarProps) {
  const { path } = usePlace()
  const links = [
    { href: '/keys', label: text.nav.keys },
    { href: '/account', label: text.nav.account },
    ...(account.isOwner ? [{ href: '/operator', label: text.nav.operator }] : []),
    { href: '/numbers', label: text.nav.numbers },
  ]
  return (
    <header className="top-bar">
      <div className="top-bar-inner">
        <Anchor {...linkTo('/')} className="brand" aria-label={text.product} underline="never">
          <Logo />
          <span className="brand-name">{text.product}</span>
        </Anchor>
        <SiteMenu sites={state.sites} path={path} />
        <nav className="top-links" aria-label={text.nav.main}>
          {links.map(({ href, label }) => (
            <Anchor
              key={href}
              {...linkTo(href)}
              className="top-link"
              aria-current={path === href ? 'page' : undefined}
            >
              {label}
            </Anchor>
          ))}
        </nav>
        <ColourMenu />
        <PersonMenu links={links} email={account.email} />
      </div>
    </header>
  )
}

function SiteMenu({ sites, path }: { readonly sites: DashboardState['sites']; readonly path: string }) {
  if (sites.length === 0) return null
  const current = sites.find(({ id }) => id === siteIdOf(path))
  return (
    <Menu position="bottom-start" width={260}>
      <Menu.Target>
        <Button
          variant="default"
          size="sm"
          className="site-button"
          rightSection={<ChevronIcon size={16} />}
          aria-label={`${text.nav.chooseSite}: ${current?.domain ?? text.common.none}`}
        >
          <span className="site-name">{current?.domain ?? text.nav.chooseSite}</span>
        </Button>
      </Menu.Target>
      <Menu.Dropdown className="site-list">
        {sites.map(({ id, domain }) => (
          <Menu.Item
            key={id}
            onClick={() => navigate(sitePath(id))}
            rightSection={id === current?.id ? <CheckIcon size={16} /> : null}
          >
            {domain}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item leftSection={<PlusIcon size={16} />} onClick={() => navigate('/sites/new')}>
          {text.nav.addSite}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

function ColourMenu() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const choices = [
    ['light', text.nav.light],
    ['dark', text.nav.dark],
    ['auto', text.nav.system],
  ] as const
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={text.nav.colours}>
          <SunIcon />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {choices.map(([scheme, label]) => (
          <Menu.Item
            key={scheme}
            onClick={() => setColorScheme(scheme)}
            rightSection={scheme === colorScheme ? <CheckIcon size={16} /> : null}
          >
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

interface PersonMenuProps {
  readonly links: readonly { readonly href: string; readonly label: string }[]
  readonly email: string
}

function PersonMenu({ links, email }: PersonMenuProps) {
  const queryClient = useQueryClient()
  const signOut = async () => {
    const state = await api.signOut()
    queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'state' })
    queryClient.setQueryData(stateQuery.queryKey, state)
    navigate('/')
  }
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={text.nav.menu}>
          <MenuIcon />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label className="person">{email}</Menu.Label>
        {links.map(({ href, label }) => (
          <Menu.Item key={href} onClick={() => navigate(href)} className="only-narrow">
            {label}
          </Menu.Item>
        ))}
        <Menu.Item component="a" href="/docs">
          {text.nav.reference}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item onClick={() => void signOut()}>{text.nav.signOut}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
