# SPDX-License-Identifier: MIT
# debian_binary.sh - unpacks Debian packages into a folder, for packages that cannot be installed side by side;
# scripts source this file.

# debian_binary DIRECTORY PACKAGE... - downloads and unpacks the packages, once. Fails and prints the reason if they
# are unavailable.
debian_binary()
{
	binary_directory=$1
	shift
	[ ! -e "$binary_directory/done" ] || return 0
	rm -rf "$binary_directory"
	mkdir -p "$binary_directory/packages"
	(
		cd "$binary_directory/packages" &&
			apt-get -qq -o APT::Sandbox::User= download "$@" &&
			for package in *.deb; do
				dpkg -x "$package" ..
			done &&
			touch ../done
	) > "$binary_directory.log" 2>&1 || {
		echo "the packages $* cannot be downloaded:"
		tail -n 3 "$binary_directory.log"
		return 1
	}
	rm -rf "$binary_directory/packages"
}
