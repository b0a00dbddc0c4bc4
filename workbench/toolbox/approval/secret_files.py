"""The one list of files that often contain keys or passwords, by place and by the shape of their names."""

import re
from fnmatch import fnmatchcase
from typing import Final

_FOLDERS: Final = (
    r"\.(?:ssh|gnupg|aws|azure|kube|docker|hermes|password-store|mozilla|thunderbird|sops|age|huggingface|terraform\.d"
    r"|bitcoin|ethereum|electrum|monero|solana|gem|oci|bluemix|minikube|step|chef|fly|railway|vault|keepass\w{0,4})",
    r"\.config/(?:gcloud|gh|hub|glab|op|rclone|doctl|google-chrome|chromium|BraveSoftware|sops|age|vercel|netlify|heroku"
    r"|stripe|containers|joplin|Bitwarden\w{0,9}|Signal|Slack|discord|filezilla|remmina|nordvpn|openvpn\w{0,3})",
    r"\.local/share/(?:keyrings|hermes-workbench|kwalletd|containers|opencode|TelegramDesktop)",
    r"\.cache/huggingface", r"\.mc|\.ansible/tmp|\.putty|\.vnc|\.1password|\.lastpass|\.pki|\.cert",
    r"Library/(?:Keychains|Cookies|Application Support/(?:Google|hermes-workbench|Firefox|Bitcoin|1Password))",
    r"etc/(?:ssl/private|wireguard|openvpn|NetworkManager/system-connections|sudoers\.d|ipsec\.d|letsencrypt|pki/tls/private"
    r"|cups/ssl|docker|kubernetes|rancher|ppp/\w+-secrets)",
    r"(?:run|var)/(?:[\w.-]{1,40}/)?(?:secrets|containerd)",
    r"var/(?:spool/(?:cron|mail)|mail|backups|lib/(?:mysql|postgresql|docker|private|sss|kubelet|cloud|samba))",
)  # fmt: skip
"""Folders whose files count as secrets, as patterns of whole parts of a path."""
_FILES: Final = (
    r"\.(?:netrc|pgpass|npmrc|yarnrc(?:\.yml)?|pypirc|git-credentials|my\.cnf|mylogin\.cnf|htpasswd|htdigest|s3cfg|boto|envrc"
    r"|vault[_-]?(?:token|pass)\w{0,5}|dockercfg|terraformrc|rediscli_auth|smbcredentials|fetchmailrc|msmtprc|muttrc|Xauthority"
    r"|\w{0,20}_?history|lesshst|viminfo|claude\.json|esmtprc|ICEauthority|authinfo|sentryclirc|databrickscfg|offlineimaprc|mbsyncrc|composer-auth\.json|curlrc|wgetrc|token)",
    r"\.env(?:[._~-](?!(?:example|sample|template|dist)$)[^/]*)?", r"\.env[*?\[][^/]*",
    r"\.env(?:file|vars?)|\.(?:flask|test)env|\.dev\.vars[^/]*|env\.(?:prod\w*|local|staging|live)",
    r"\.kaggle/[^/]*|\.claude/[^/]*credential[^/]*|\.codex/auth[^/]*|\.gemini/[^/]*cred[^/]*|\.m2/settings[\w-]*\.xml"
    r"|\.gradle/gradle\.properties|\.cargo/credentials[^/]*|\.config/configstore/[^/]*|\.config/pypoetry/auth\.toml"
    r"|\.nuget/nuget\.config|\.bundle/config|\.composer/auth\.json|\.subversion/auth(?:/.*)?|\.jupyter/[^/]*(?:config|secret|cookie)[^/]*",
    r"(?:[\w.-]*[_.-])?id_(?:rsa|dsa|ecdsa|ed25519)\w{0,9}(?:\.(?:bak|old|orig|txt|key|gz|bz2|xz|zst))?|[\w.-]+_(?:rsa|dsa|ecdsa|ed25519)(?:\.(?:bak|old|orig|txt))?",
    r"authorized_keys|kubeconfig(?:\.ya?ml)?|kube\.config|wp-config\.php|local_settings\.py|master\.key|(?:_netrc|\.rhosts|pgpass\.conf|\.mongorc\.js|\.ftpconfig)",
    r"sftp(?:-config)?\.json|dataSources\.local\.xml|webServers\.xml|(?:recentservers|sitemanager)\.xml|(?:[\w.-]+[_-])?key(?:s|file)?\.json"
    r"|(?:keystore|signing|key)\.properties|vault\.(?:ya?ml|json)|vault[_-]?pass[^/]*|(?:[\w.-]+-)?firebase-adminsdk[^/]*\.json|(?<!etc/)passwd(?:\.(?:txt|csv|db|bak))?"
    r"|(?:pass|pwd?|pat|seed|jwt)\.txt|database\.ya?ml|(?:application|appsettings)[._-](?:prod|live|stag|secret)\w*\.(?:json|ya?ml|properties)|keystore(?:\.json|/UTC--[^/]*)",
    r"etc/(?:g?shadow-?|sudoers|master\.passwd|krb5\.keytab|ssh/ssh_host[^/]*|security/opasswd|fstab\.cred|crypttab"
    r"|wpa_supplicant[^/]*(?:/.*)?|samba/smbpasswd)",
    r"\.git/(?:config(?:\.worktree)?|modules/.*/config)",
    r"(?:run|var/run)/docker\.sock", r"var/log/(?:auth|secure|audit)[^/]*(?:/.*)?",
    r"(?:hermes-)?workbench\.sqlite3[^/]*", r"[^/]+\.env",
    r"[^/]*\.(?:pem|key|p12|pfx|kdbx?|keystore|jks|ppk|asc|gpg|age|keytab|ovpn|rdp|agilekeychain|mobileprovision|p8|tfstate"
    r"|tfvars|credentials?|secrets?|token|wallet|pgp|jwk)(?:\.\w{1,6})?",
    r"(?:cookies?|key[34]|logins|login data|web data)(?:\.(?:db|sqlite|json|txt))?",
)  # fmt: skip
"""Files that count as secrets wherever they are, as patterns of the last parts of a path."""
_PLACES: Final = re.compile(
    rf"(?:^|/)(?:{'|'.join(_FOLDERS)})(?:/|$)|(?:^|/)(?:{'|'.join(_FILES)})/?$"
    r"|(?:^|/)proc/(?!(?:cpuinfo|meminfo|version|loadavg|uptime|mounts|filesystems|stat|swaps|partitions|cmdline)$)"
    r"|^/inet\d?/|^/dev/(?!(?:null|zero|random|urandom|stdin|stdout|stderr|fd/[0129])$)|^/root(?:/|$)",
    re.I,
)
_ELSEWHERE: Final = re.compile(
    r"^(?:~|/Users/[^/]+)/Library/|/AppData/|^(?:~|/|\.\./).*/\.[^./]|^~.*/\.\.(?:/|$)|^\.\./\.[^./]"
    r"|^(?:/private)?/etc/(?!(?:passwd|group|hosts|hostname|resolv\.conf|issue|[\w-]*(?:release|version)|fstab|shells|services|protocols"
    r"|timezone|localtime|motd|nsswitch\.conf|host\.conf|locale\.\w+|mime\.types|profile|bash\.bashrc|inputrc|login\.defs"
    r"|ld\.so\.conf|sysctl\.conf|magic|networks|adduser\.conf|(?:nginx|apache2|httpd|apt|alternatives|systemd|logrotate\.d"
    r"|ld\.so\.conf\.d|sysctl\.d|profile\.d|cron\.\w+|udev|modprobe\.d|X11|fonts|xdg|skel|init\.d|yum\.repos\.d)(?:/.*)?)/?$)"
    r"|^(?:/private)?/(?:run|var/(?!log(?:/|$)|tmp(?:/|$)|www(?:/|$)|cache(?:/|$)))",
    re.I,
)
"""Outside of the working folder: hidden files, and what is not known in `/etc`, `/run` and `/var`."""
_SHAPE_OF_FOLDER: Final = re.compile(r"credential|secret|wallet|private[_-]?key|passwords?(?![a-z])", re.I)
_SHAPE: Final = re.compile(
    r"credential|secret|wallet|passwords?(?![a-z])|passphrase|(?:private|deploy|ssh|sign(?:ing)?|master|host|rsa|gpg)[_-]?key|api[_-]?keys?(?![a-z])|access[_-]?keys?(?![a-z])"
    r"|service[_-]?account|mnemonic|seed[_-]?phrase|webhook[_-]?url|slack[_-]?webhook|(?<![a-z])(?:o?auth|(?:access|api|auth|bearer|refresh|bot|hf)?[_-]?tokens?|creds?)(?![a-z])",
    re.I,
)
"""Words in the name of a file that make it a secret, unless the file is source code or a text about it."""
_SOURCE: Final = re.compile(
    r"\.(?:py[ix]?|ipynb|[cm]?[jt]sx?|go|rs|java|kt|scala|groovy|c|h|cc|cpp|hpp|cs|fs|rb|erb|php|swift|m|lua|pl|pm|ex|exs|erl"
    r"|hs|ml|clj|dart|vue|svelte|astro|html?|s?css|less|md|mdx|rst|adoc|tex|sql|proto|graphql|snap|svg|png|jpe?g|gif|pdf)$",
    re.I,
)
_SAMPLES: Final = (
    "id_rsa", "credentials", "credentials.json", "secrets.yaml", "secrets.yml", "auth.json", "auth.toml", "token",
    "token.txt", "token.json", "passwords.csv", "passwords.txt", "wallet.dat", "server.key", "server.pem",
    "secret.env", "auth.ini", "auth.conf", "auth.cfg", "secrets.xml", "credentials.db", "credentials.sqlite",
    "x.p12", "x.kdbx", "x.gpg", "x.tfstate", "credentials.tfrc.json", "secrets.properties", "auth.bak",
)  # fmt: skip
"""Names that a pattern such as `*.json` may match."""
_ENDINGS: Final = (".env", ".key", ".pem", ".p12", ".kdbx", ".gpg", ".tfstate")
"""Endings of names that a pattern such as `prod*` may match."""


def is_secret(path: str, *, by_shape: bool = True) -> bool:
    """Whether a file often contains keys or passwords.

    Args:
        path: Any path. Its parts may be anywhere in it, so that `../../etc/shadow` is found, too.
        by_shape: True to look at words in the name, such as `token`, and at unknown files of other places, too. False
            is for programs that do not show what is in the file.

    >>> [is_secret(path) for path in ("~/.ssh/x", "conf/api_token.json", "src/token.py", "tokenizer.json")]
    [True, True, False, False]
    """
    if _PLACES.search(path):
        return True
    folder, _, name = path.rstrip("/").rpartition("/")
    if not by_shape:
        return False
    has_shape = _SHAPE.search(name) is not None or _SHAPE_OF_FOLDER.search(folder) is not None
    return _ELSEWHERE.search(path) is not None or (has_shape and not _SOURCE.search(name))


def may_match_secret(pattern: str) -> bool:
    """Whether a pattern of file names, such as `*.json`, may match a file that is a secret.

    >>> [may_match_secret(pattern) for pattern in ("*", "conf/*.json", "*.py", "docs/*.md")]
    [True, True, False, False]
    """
    name = pattern.rsplit("/", 1)[-1]
    start = re.split(r"[*?[]", name, maxsplit=1)[0]
    return any(fnmatchcase(sample, name) for sample in (*_SAMPLES, *(start + ending for ending in _ENDINGS)))


def matches_hidden(pattern: str) -> bool:
    """Whether a pattern of file names matches hidden files that are often secrets.

    >>> [matches_hidden(pattern) for pattern in (".e*", "?env", "{.env,x}", "src/*", "*.py", "!*")]
    [True, True, True, True, False, False]
    """
    name = pattern.rsplit("/", 1)[-1]
    return "{." in name or (
        re.search(r"[*?[]", name) is not None
        and any(fnmatchcase(sample, name) for sample in (".env", ".envrc", ".netrc", ".npmrc"))
    )
