import Sealing

/// How the bytes of a value are protected where they lie.
public enum StorageSecurity: Hashable, Sendable {
    /// The serialized bytes as they are.
    case none
    /// An item of the keychain with these attributes; only in ``StorageDomain/keychain(service:)``.
    case keychain(accessibility: KeychainAccessibility, accessControl: KeychainAccessControl? = nil)
    /// The serialized bytes sealed, in the layout of `SealHeader`.
    case encrypted(EncryptionPolicy = EncryptionPolicy())

    /// What a key gets that names none.
    ///
    /// In the keychain an item readable while the device is unlocked, in an encrypted file system AES-256-GCM with HKDF,
    /// elsewhere none.
    public static func standard(for domain: StorageDomain) -> StorageSecurity {
        switch domain {
        case .keychain: .keychain(accessibility: .whenUnlocked)
        case .encryptedFileSystem: .encrypted()
        default: .none
        }
    }
}

/// When an item of the keychain can be read; the raw value is Apple's short code (`pdmn`).
public enum KeychainAccessibility: String, Hashable, Sendable, CaseIterable {
    /// While the device is unlocked.
    case whenUnlocked = "ak"
    /// From the first unlock after a start on.
    case afterFirstUnlock = "ck"
    /// Always; deprecated by Apple.
    case always = "dk"
    /// While unlocked, on this device only.
    case whenUnlockedThisDeviceOnly = "aku"
    /// From the first unlock on, on this device only.
    case afterFirstUnlockThisDeviceOnly = "cku"
    /// Always, on this device only; deprecated by Apple.
    case alwaysThisDeviceOnly = "dku"
    /// While unlocked, on this device only, and only as long as it has a passcode.
    case whenPasscodeSetThisDeviceOnly = "akpu"
}

/// What a person must show before an item of the keychain is read; the raw value is what stands under `accc`.
///
/// The names are this library's own: those of LocalData's six are not public. On a device `accc` is an opaque blob.
public enum KeychainAccessControl: String, Hashable, Sendable, CaseIterable {
    /// Any biometry or the passcode.
    case userPresence = "UserPresence"
    /// Any enrolled finger or face.
    case biometryAny = "BiometryAny"
    /// A finger or face that was enrolled when the item was made.
    case biometryCurrentSet = "BiometryCurrentSet"
    /// The passcode.
    case devicePasscode = "DevicePasscode"
    /// Any enrolled finger or face, or the passcode.
    case biometryAnyOrDevicePasscode = "BiometryAnyOrDevicePasscode"
    /// A finger or face that was enrolled when the item was made, or the passcode.
    case biometryCurrentSetOrDevicePasscode = "BiometryCurrentSetOrDevicePasscode"
}

/// How a value is sealed.
public struct EncryptionPolicy: Hashable, Sendable {
    /// The cipher.
    public var cipher: Cipher
    /// How the key comes from the material.
    public var derivation: KeyDerivation
    /// Where the material is.
    public var material: KeyMaterialSource

    /// Makes a policy.
    public init(
        cipher: Cipher = .aes256GCM, derivation: KeyDerivation = .hkdfSHA256,
        material: KeyMaterialSource = .keychain(service: nil, account: "LocalData.masterKey")
    ) {
        self.cipher = cipher
        self.derivation = derivation
        self.material = material
    }
}

/// Where the material of a key is.
public enum KeyMaterialSource: Hashable, Sendable {
    /// The secret of a keychain item of a service, or of the configuration's; it is never made up.
    case keychain(service: String?, account: String)
    /// What the configuration gives under this name.
    case given(String)
}
