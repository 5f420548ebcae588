# SPDX-License-Identifier: MIT
# debian_source.sh - downloads the sources of a Debian package; scripts source this file.

# private_apt DIRECTORY ARGUMENT... - runs apt-get with a separate configuration that lists only source packages. The
# lists of the system do not change.
private_apt()
{
	mkdir -p "$1/lists/partial" "$1/cache/archives/partial"
	echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]" \
		"http://deb.debian.org/debian $(. /etc/os-release && echo "$VERSION_CODENAME") main" \
		> "$1/sources.list"
	apt_directory=$1
	shift
	apt-get -qq -o Dir::Etc::SourceList="$apt_directory/sources.list" -o Dir::Etc::SourceParts=- \
		-o Dir::State::Lists="$apt_directory/lists" -o Dir::Cache="$apt_directory/cache" \
		-o APT::Sandbox::User= "$@"
}

# debian_source PACKAGE DIRECTORY - downloads and unpacks the sources of PACKAGE, once, and sets $source_directory to
# their folder. Skips the script if the download fails.
debian_source()
{
	package_directory=$2/$1
	if ! test -e "$package_directory/done"; then
		rm -rf "$package_directory"
		mkdir -p "$package_directory"
		(
			cd "$package_directory" &&
				private_apt "$2/apt" update &&
				private_apt "$2/apt" source --download-only "$1" &&
				tar xf "$(ls "$1"_*.orig.tar.* | grep -v "\\.asc$")" &&
				touch done
		) > "$2/$1.log" 2>&1 || {
			echo "the source package $1 cannot be downloaded:"
			tail -n 3 "$2/$1.log"
			exit 77
		}
	fi
	source_directory=$(echo "$package_directory"/*/)
	source_directory=${source_directory%/}
}
